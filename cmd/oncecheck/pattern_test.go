package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/oncecheck/oncecheck/harness"
)

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, id string
		want        bool
	}{
		{"idempotency/replay-success", "idempotency/replay-success", true},
		{"idempotency/**", "idempotency/replay-success", true},
		{"idempotency/*", "idempotency/replay-success", true},
		{"*", "idempotency/replay-success", false},
		{"**", "idempotency/replay-success", true},
		{"**", "SRS-CHK-001.44", true},
		{"*/replay-*", "idempotency/replay-success", true},
		{"**/replay-*", "idempotency/replay-success", true},
		{"SRS-CHK-001.44", "SRS-CHK-001.44", true},
		{"SRS-CHK-001.4", "SRS-CHK-001.44", false},
		{"SRS-CHK-001.*", "SRS-CHK-001.44", true},
		{"SRS-CHK-001.4?", "SRS-CHK-001.44", true},
		{"SRS-CHK-*", "SRS-CHK-001.44", false},
		{"SRS-CHK-*.44", "SRS-CHK-001.44", true},
		{"SRS-CHK-**", "SRS-CHK-001.44", true},
		{"SRS-**44", "SRS-CHK-001.44", true},
		{"**44", "SRS-CHK-001.44", true},
		{"**.44", "SRS-CHK-001.44", true},
		{"idem**success", "idempotency/replay-success", true},
		{"idem**-succ**", "idempotency/replay-success", true},
		{"NFR-CHK-003", "NFR-CHK-003", true},
		{"NFR-**", "NFR-CHK-003", true},
		{"{status,retry}/**", "retry/timeout", true},
		{"{status,retry}/**", "idempotency/in-progress", false},
	} {
		matches, err := glob(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		if got := matches(test.id); got != test.want {
			t.Errorf("%q matches %q: %t, wanted %t", test.pattern, test.id, got, test.want)
		}
	}
}

func TestGlobRefuses(t *testing.T) {
	for _, pattern := range []string{"", "[", "{a"} {
		if _, err := glob(pattern); err == nil {
			t.Errorf("%q is accepted", pattern)
		}
	}
}

// Whatever stands between two halves of an id, ** fills it.
func TestDoubleStarFillsAnyGap(t *testing.T) {
	word := rapid.StringMatching(`[a-z][a-z0-9-]{0,5}([/.][a-z0-9-]{1,5}){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		id := word.Draw(t, "id")
		from := rapid.IntRange(0, len(id)).Draw(t, "from")
		to := rapid.IntRange(from, len(id)).Draw(t, "to")
		pattern := id[:from] + "**" + id[to:]
		matches, err := glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if !matches(id) {
			t.Fatalf("%q does not match %q", pattern, id)
		}
	})
}

func FuzzGlob(f *testing.F) {
	f.Add("idempotency/**", "idempotency/x")
	f.Add("a**{b,c}", "a.b")
	f.Fuzz(func(t *testing.T, pattern, id string) {
		if len(pattern) > 64 || strings.Count(pattern, "*") > 6 {
			t.Skip("longer than anybody types")
		}
		if matches, err := glob(pattern); err == nil {
			matches(id)
		}
	})
}

func TestClausePatternSelectsItsScenarios(t *testing.T) {
	catalogue := harness.Catalogue{
		Clauses: []harness.Clause{{ID: "A.1"}, {ID: "A.2"}, {ID: "B.1"}},
		Scenarios: []harness.Scenario{
			{ID: "f/one", Checks: []harness.Check{{Clause: "A.1"}}},
			{ID: "f/two", Checks: []harness.Check{{Clause: "A.1"}, {Clause: "A.2"}}},
		},
	}
	for _, test := range []struct {
		only, skip []string
		want       string
	}{
		{nil, nil, "f/one f/two"},
		{[]string{"A.1"}, nil, "f/one f/two"},
		{[]string{"A.2"}, nil, "f/two"},
		{[]string{"**"}, []string{"A.2"}, "f/one"},
		{[]string{"f/one", "A.2"}, nil, "f/one f/two"},
		{[]string{"B.*"}, nil, "no scenario judges any yet"},
		{[]string{"C.*"}, nil, "matches no scenario and no clause"},
		{nil, []string{"**"}, "nothing is left to run"},
	} {
		selected, err := selection(catalogue, test.only, test.skip)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			var ids []string
			for _, s := range catalogue.Scenarios {
				if selected(s) {
					ids = append(ids, s.ID)
				}
			}
			got = strings.Join(ids, " ")
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("only %v skip %v: %q, wanted %q", test.only, test.skip, got, test.want)
		}
	}
}
