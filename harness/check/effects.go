package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// tally counts, per case, what the ledger shows and how many requests may have
// left something there.
type tally struct {
	effects   map[string]int     // gross, by kind
	entries   map[string][]int64 // where they stand in the history, by kind
	asked     []int64            // the requests of the case
	scopes    map[scope]bool     // keyed requests sent
	succeeded map[scope]bool     // those answered with a success
}

func tallies(h *harness.History, pick Pick) map[string]*tally {
	by := map[string]*tally{}
	of := func(id string) *tally {
		if by[id] == nil {
			by[id] = &tally{effects: map[string]int{}, entries: map[string][]int64{}, scopes: map[scope]bool{}, succeeded: map[scope]bool{}}
		}
		return by[id]
	}
	for _, a := range keyed(attempts(h, pick)) {
		t := of(a.Invoke.Case)
		s := a.scope()
		if s.Key == "" {
			s.Key = "keyless " + a.Invoke.Op // without a key every request is its own
		}
		t.scopes[s] = true
		t.asked = append(t.asked, a.witness())
		if a.class(h) == harness.ClassSuccess {
			t.succeeded[s] = true
		}
	}
	for e := range h.Events() {
		if e.Type == harness.EffectEvent && pick.accepts(h, e.Case) {
			t := of(e.Case)
			t.effects[e.Effect.Kind]++
			t.entries[e.Effect.Kind] = append(t.entries[e.Effect.Kind], e.Seq)
		}
	}
	return by
}

// odd returns the ledger entries of the kinds of which there are too many, and
// what stands for the case where there are only too few.
func (t *tally) odd(got, want map[string]int) []int64 {
	var seqs []int64
	for _, kind := range slices.Sorted(maps.Keys(t.entries)) {
		if got[kind] > want[kind] || undoes(kind) != "" {
			seqs = append(seqs, t.entries[kind]...)
		}
	}
	if len(seqs) == 0 {
		seqs = t.asked
	}
	return seqs
}

// undoes returns the kind of effect that a reversing kind takes back, or "".
func undoes(kind string) string {
	switch kind {
	case "void":
		return "charge"
	case "release":
		return "reservation"
	}
	return ""
}

// net subtracts reversals and drops them.
func net(effects map[string]int) map[string]int {
	out := map[string]int{}
	for kind, n := range effects {
		if undone := undoes(kind); undone != "" {
			out[undone] -= n
		} else {
			out[kind] += n
		}
	}
	maps.DeleteFunc(out, func(_ string, n int) bool { return n == 0 })
	return out
}

// AtMostOnce judges invariant I1: no keyed request has more effects of a kind
// than one success has. Reversed effects count, since the customer saw them.
func AtMostOnce(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		judged := 0
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			t := by[id]
			judged += len(t.scopes)
			for kind, n := range t.effects {
				if undoes(kind) != "" {
					continue
				}
				if limit := h.Header.PerSuccess[kind] * len(t.scopes); n > limit {
					return harness.Failed(fmt.Sprintf("at most %d %s for %d keyed request(s) of case %s", limit, kind, len(t.scopes), label(h, id)),
						fmt.Sprintf("%d in the ledger", n), t.entries[kind]...)
				}
			}
		}
		if judged == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d keyed requests, none with a second effect", judged))
	}
}

// EffectsMatchSuccesses judges that the ledger holds exactly the effects of the
// requests that were answered with a success: none missing, none twice, none of
// a request that was refused or declined, none left behind (I1, I3, I6).
func EffectsMatchSuccesses(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := tallies(h, pick)
		sent, succeeded := 0, 0
		for _, id := range sortedCases(by) {
			t := by[id]
			sent += len(t.scopes)
			succeeded += len(t.succeeded)
			want := map[string]int{}
			for kind, each := range h.Header.PerSuccess {
				if n := each * len(t.succeeded); n > 0 {
					want[kind] = n
				}
			}
			if got := net(t.effects); !maps.Equal(got, want) {
				return harness.Failed(fmt.Sprintf("%s for %d success(es) of case %s", describe(want), len(t.succeeded), label(h, id)),
					describe(got)+" in the ledger", t.odd(got, want)...)
			}
		}
		if sent == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("the ledger holds exactly the effects of %d success(es) of %d request(s)", succeeded, sent))
	}
}

// NoEffect judges that the picked cases left nothing in the ledger, whatever
// they were answered.
func NoEffect(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			if t := by[id]; len(t.effects) > 0 {
				return harness.Failed("no effect of case "+label(h, id), describe(t.effects)+" in the ledger", t.odd(t.effects, nil)...)
			}
		}
		if len(by) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d case(s) without any effect", len(by)))
	}
}

func sortedCases(by map[string]*tally) []string { return slices.Sorted(maps.Keys(by)) }

func label(h *harness.History, caseID string) string {
	return strings.TrimPrefix(caseID, h.Header.Scenario+"/")
}

func describe(effects map[string]int) string {
	if len(effects) == 0 {
		return "no effect"
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(effects)) {
		parts = append(parts, fmt.Sprintf("%d %s", effects[kind], kind))
	}
	return strings.Join(parts, ", ")
}
