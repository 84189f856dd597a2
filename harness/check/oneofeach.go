package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// OneOfEach judges that each checkout of the pick left one order, one payment,
// which is a charge or an authorization that was captured, and one reservation,
// and that nothing was undone. Kinds that the target's ledger does not hold are
// not looked for.
func OneOfEach(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			t := by[id]
			if len(t.succeeded) != 1 || len(t.scopes) != 1 {
				return harness.Undecided(fmt.Sprintf("%d success(es) of %d request(s) in case %s, wanted one of one", len(t.succeeded), len(t.scopes), label(h, id)), t.asked...)
			}
			want := map[string]int{}
			for _, kind := range []string{"order", "reservation"} {
				if h.Header.PerSuccess[kind] > 0 {
					want[kind] = 1
				}
			}
			if h.Header.PerSuccess["authorization"] > 0 {
				want["authorization"], want["capture"] = 1, 1
			} else if h.Header.PerSuccess["charge"] > 0 {
				want["charge"] = 1
			}
			if got := ofRequirements(t.effects); !maps.Equal(got, want) {
				return harness.Failed(describe(want)+" for one checkout (case "+label(h, id)+")", describe(got)+" in the ledger", t.odd(got, want)...)
			}
			if len(want) == 0 {
				return harness.Undecided("the ledger holds neither orders nor payments nor reservations (effects.perSuccess)")
			}
		}
		if len(by) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d checkout(s), one effect of each kind", len(by)))
	}
}

// ofRequirements keeps the kinds of effects that the requirements speak of.
func ofRequirements(effects map[string]int) map[string]int {
	kept := maps.Clone(effects)
	maps.DeleteFunc(kept, func(kind string, _ int) bool {
		return !slices.Contains([]string{"order", "charge", "authorization", "capture", "void", "refund", "reservation", "release"}, kind)
	})
	return kept
}
