package harness

import (
	"context"
	"slices"
	"time"
)

// Check is one property of a history. Judge is pure: no I/O, no clock, nothing
// but the history.
type Check struct {
	Name      string   // the property in the affirmative: "at-most-once-effect"
	Clause    ClauseID // the clause it decides, or empty for a bare invariant
	Invariant string   // I1 to I6, or empty
	Needs     Needs    // capabilities beyond the scenario's; without them the check is not verified
	Gates     Gates    // what must be proven before a pass is believed
	// Supplement marks a check that goes beyond what the register asks of the
	// clause. Where its scenario needs a capability that the clause does not, a
	// target without it is not held back; a failure counts in full.
	Supplement bool
	Judge      func(*History) Verdict
}

// missing returns the capabilities that keep the check from being judged.
func (c Check) missing(have []Capability) []string {
	needs := c.Needs
	if c.Gates.Effects {
		needs = append(Needs{string(CapEffects)}, needs...)
	}
	return needs.Missing(have)
}

// Gates lists what a pass of a check rests on. That every planned fault was
// proven is asked of all checks and has no switch.
type Gates struct {
	Effects bool // counts effects: control held, settled, no outcome unknown
	Overlap bool // needs requests of one case in flight together at the target
	Timing  bool // compares times: worth nothing, either way, where the harness lagged
}

// Scenario is one experiment. Drive acts and records; it never decides. An
// error of Drive says that the experiment could not be carried out and makes
// every check of it inconclusive.
type Scenario struct {
	ID    string // family/behaviour
	Title string // one sentence for people
	Needs Needs
	// Exclusive marks a scenario that disturbs the target for everybody, such as
	// one that restarts it: while it does nobody else uses the target.
	Exclusive bool
	// ClientOnly says of an Exclusive scenario that it disturbs nothing but the client
	// behind a shim, and calls nothing else.
	ClientOnly bool
	// Long returns how long it takes under a policy. Nil: never longer than the lane
	// fast allows, see [FastLimit].
	Long func(Policy) time.Duration
	// Lasts is about how long it takes, where that is more than a few seconds: what
	// lasts longest begins first. It mostly waits for so long. It says nothing of what
	// may be carried out.
	Lasts time.Duration
	// Timed marks a scenario that measures times: the harness watches its own lag.
	Timed  bool
	Drive  func(context.Context, *Session) error
	Checks []Check
}

// uses returns the offered capabilities that the scenario or a check of it needs.
// One of several alternatives is left out: it is not known which is taken.
func (s Scenario) uses(have []Capability) []Capability {
	needs := slices.Clone(s.Needs)
	for _, c := range s.Checks {
		needs = append(needs, c.Needs...)
	}
	var used []Capability
	for _, c := range have {
		if slices.Contains(needs, string(c)) {
			used = append(used, c)
		}
	}
	return used
}

// Clauses returns the clauses that the scenario's checks decide, in order of
// first mention.
func (s Scenario) Clauses() []ClauseID {
	var ids []ClauseID
	seen := map[ClauseID]bool{}
	for _, c := range s.Checks {
		if c.Clause != "" && !seen[c.Clause] {
			seen[c.Clause] = true
			ids = append(ids, c.Clause)
		}
	}
	return ids
}
