//go:build unix

package probe

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// script returns a probe that runs lines of shell; $1 is {{since}}.
func script(t *testing.T, lines string, args ...string) *CommandProbe {
	t.Helper()
	p, err := Command(append([]string{"sh", "-c", lines, "sh"}, args...), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEffectsThatACommandPrints(t *testing.T) {
	p := script(t, `
		[ "$1" = "--after=4" ] || exit 9
		echo '{"seq":9007199254740993,"kind":"order","id":"o-1","reference":"cart-1","amount":9007199254740993,"currency":"EUR","at":"2026-01-02T03:04:05Z","extra":[1]}'
		echo
		printf '{"seq":5,"kind":"charge","id":"c-1","key":"k","correlationId":"corr","amount":1001.0}'`, "--after={{since}}")
	got, err := p.Effects(t.Context(), 4)
	want := []harness.Effect{
		{Seq: 5, Kind: "charge", ID: "c-1", Key: "k", CorrelationID: "corr", Amount: 1001},
		{Seq: 9007199254740993, Kind: "order", ID: "o-1", Reference: "cart-1", Amount: 9007199254740993, Currency: "EUR", At: "2026-01-02T03:04:05Z"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
}

func TestACommandRunsInItsFolder(t *testing.T) {
	p := script(t, "cat ledger.jsonl")
	if err := os.WriteFile(filepath.Join(p.dir, "ledger.jsonl"), []byte(`{"seq":1,"kind":"a","id":"1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if effects, err := p.Effects(t.Context(), 0); err != nil || len(effects) != 1 {
		t.Errorf("%+v, %v", effects, err)
	}
}

func TestACommandThatPrintsNothing(t *testing.T) {
	effects, err := script(t, "echo nothing new >&2").Effects(t.Context(), 0)
	if err != nil || len(effects) != 0 {
		t.Errorf("%+v, %v", effects, err)
	}
}

// Without {{since}} the lines are the whole ledger in its order.
func TestPositionsStandForNumbers(t *testing.T) {
	p := script(t, `for n in 1 2 3; do echo "{\"kind\":\"a\",\"id\":\"$n\"}"; done`)
	got, err := p.Effects(t.Context(), 1)
	if err != nil || len(got) != 2 || got[0].ID != "2" || got[1].Seq != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUnclearCommandsAreErrors(t *testing.T) {
	for name, row := range map[string]struct{ lines, want string }{
		"a status":             {`echo first >&2; printf 'no such ledger\n\n' >&2; exit 3`, "exit status 3; it last wrote: no such ledger"},
		"a silent status":      {`exit 1`, "exit status 1; it wrote nothing"},
		"a status after lines": {`echo '{"seq":1,"kind":"a","id":"1"}'; exit 1`, "exit status 1"},
		"a signal":             {`kill -9 $$`, "signal: killed"},
		"a sentence":           {`echo '{"seq":1,"kind":"a","id":"1"}'; echo done.`, "line 2 is not one JSON object"},
		"an array":             {`echo '[{"seq":1,"kind":"a","id":"1"}]'`, "line 1 is not one JSON object"},
		"null":                 {`echo null`, "line 1 is not one JSON object"},
		"two in a line":        {`echo '{"seq":1,"kind":"a","id":"1"} {"seq":2,"kind":"a","id":"2"}'`, "more follows"},
		"half a line":          {`printf '{"seq":1,"kind":"a"'`, "line 1 is not one JSON object"},
		"no id":                {`echo '{"seq":1,"kind":"a"}'`, "line 1: entry 1: kind and id must be there"},
		"no seq":               {`echo "{\"kind\":\"a\",\"id\":\"1\"}"`, "entry 1 has no seq"},
		"too much":             {`yes "$0 $0 $0 $0 $0 $0 $0 $0 $0 $0 $0 $0 $0 $0"`, "more than 32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			effects, err := script(t, row.lines, "{{since}}").Effects(t.Context(), 0)
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "command sh") {
				t.Errorf("got %+v, %v, want %s", effects, err, row.want)
			}
		})
	}
}

// TestACommandIsKilledWithItsChildren: what it started holds a pipe whose end
// tells that nobody is left.
func TestACommandIsKilledWithItsChildren(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p := script(t, `echo stuck at the ledger >&2; exec 3>"$1"; sleep 600 & wait`, fifo)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := p.Effects(ctx, 0); ended <- err }()
	alive, err := os.Open(fifo) // waits for the writer
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = alive.Close() }()
	late := errors.New("it took too long")
	cancel(late)
	if err := <-ended; !errors.Is(err, late) || !strings.Contains(err.Error(), "it last wrote: stuck at the ledger") {
		t.Errorf("got %v", err)
	}
	if _, err := io.ReadAll(alive); err != nil {
		t.Error(err)
	}
}

func TestCommandSetUpErrors(t *testing.T) {
	for _, argv := range [][]string{nil, {""}} {
		if _, err := Command(argv, ""); err == nil || !strings.Contains(err.Error(), "names no program") {
			t.Errorf("%q: %v", argv, err)
		}
	}
	p, err := Command([]string{"/nowhere/ledger"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Effects(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "could not be started") || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a program that is not there: %v", err)
	}
}
