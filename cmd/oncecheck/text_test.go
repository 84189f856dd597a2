package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestTell(t *testing.T) {
	for _, test := range []struct {
		err  error
		code int
		text string
	}{
		{nil, 0, ""},
		{verdict(3), 3, ""},
		{errors.New("no luck"), 2, "oncecheck: no luck\n"},
		{refuse(errors.New("no luck"), "try"), 2, "oncecheck: no luck\nhint: try\n"},
		{fmt.Errorf("outer: %w", refuse(errors.New("no luck"), "")), 2, "oncecheck: outer: no luck\n"},
		{interrupted(), 3, "oncecheck: interrupted\n"},
		{errors.New("\x1b[31mred"), 2, "oncecheck: \ufffd[31mred\n"},
	} {
		var log bytes.Buffer
		if code := tell(&log, test.err); code != test.code || log.String() != test.text {
			t.Errorf("%v: %d %q, wanted %d %q", test.err, code, log.String(), test.code, test.text)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "a.yaml": "a.yaml", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "../x/y_1:2": "../x/y_1:2",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: %s, wanted %s", word, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"run", "serve", "list", "idempotency/replay-success", "idempotency/replay-declined", "SRS-CHK-001.44"}
	for unknown, want := range map[string][]string{
		"rnu":                       {"run"},
		"idempotency/replay-sucess": {"idempotency/replay-success"},
		"srs-chk-001.44":            {"SRS-CHK-001.44"},
		"replay-success":            {"idempotency/replay-success"},
		"frobnicate":                nil,
	} {
		if got := nearest(unknown, known, 1); !slices.Equal(got, want) {
			t.Errorf("%s: %v, wanted %v", unknown, got, want)
		}
	}
}
