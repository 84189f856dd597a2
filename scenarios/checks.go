package scenarios

import "github.com/oncecheck/oncecheck/harness"

// judge is what every constructor of harness/check returns.
type judge = func(*harness.History) harness.Verdict

// answers makes a check of a clause that needs only what callers see.
func answers(clause harness.ClauseID, name string, j judge) harness.Check {
	return harness.Check{Name: name, Clause: clause, Judge: j}
}

// effects makes a check of a clause that counts in the ledger.
func effects(clause harness.ClauseID, name string, j judge) harness.Check {
	return harness.Check{Name: name, Clause: clause, Gates: harness.Gates{Effects: true}, Judge: j}
}

// invariant makes a check that decides an invariant in the ledger.
func invariant(id, name string, j judge) harness.Check {
	return harness.Check{Name: name, Invariant: id, Gates: harness.Gates{Effects: true}, Judge: j}
}

// supplement marks a check as going beyond what the register asks.
func supplement(c harness.Check) harness.Check {
	c.Supplement = true
	return c
}

// needs adds capabilities to a check.
func needs(c harness.Check, capabilities string) harness.Check {
	c.Needs = harness.ParseNeeds(capabilities)
	return c
}

// overlapping adds the gate that requests really met at the target.
func overlapping(c harness.Check) harness.Check {
	c.Gates.Overlap = true
	return c
}
