package doctor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// claims sums up what is known of each capability that the suite makes use of.
func (x *examination) claims() {
	x.identities()
	for _, c := range x.subject.Known {
		if !c.Offered {
			continue
		}
		claim := x.states[c.Name]
		switch {
		case !x.claimed(c.Name):
			claim = Claim{State: NotClaims}
		case claim.State == "":
			claim = Claim{State: NotTried, Reason: "a run tries it"}
		}
		claim.Name, claim.Key = c.Name, c.Key
		x.report.Capabilities = append(x.report.Capabilities, claim)
	}
}

// broken returns the capabilities that are claimed and do not work.
func (x *examination) broken() []harness.Capability {
	var list []harness.Capability
	for _, c := range x.report.Capabilities {
		if c.State == NotWork {
			list = append(list, c.Name)
		}
	}
	return list
}

// costs groups the clauses that cannot be verified by the capability that is
// missing for them. A clause that lacks several appears under each.
func costs(catalogue harness.Catalogue, s Subject, broken []harness.Capability) []Cost {
	have := slices.DeleteFunc(slices.Clone(s.Info.Capabilities), func(c harness.Capability) bool { return slices.Contains(broken, c) })
	judging := needsOfJudged(catalogue)
	byNeed := map[string]*Cost{}
	order := []string{}
	for _, clause := range catalogue.Clauses {
		needs := append(slices.Clone(clause.Needs), judging[clause.ID]...)
		slices.Sort(needs)
		for _, need := range slices.Compact(needs).Missing(have) {
			c := byNeed[need]
			if c == nil {
				c = &Cost{Capability: need, Clauses: []harness.ClauseID{}, Judged: []harness.ClauseID{}}
				c.describe(s.Known)
				byNeed[need], order = c, append(order, need)
			}
			c.Clauses = append(c.Clauses, clause.ID)
			if _, judged := judging[clause.ID]; judged {
				c.Judged = append(c.Judged, clause.ID)
			}
		}
	}
	list := []Cost{}
	for _, need := range order {
		list = append(list, *byNeed[need])
	}
	slices.SortStableFunc(list, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(len(b.Judged), len(a.Judged)), cmp.Compare(len(b.Clauses), len(a.Clauses)))
	})
	return list
}

// describe takes keys and meanings from the alternatives that are known.
func (c *Cost) describe(known []Capability) {
	for name := range strings.SplitSeq(c.Capability, "|") {
		for _, k := range known {
			if string(k.Name) != name {
				continue
			}
			c.Offered = c.Offered || k.Offered
			if c.Key != "" {
				k.Key, k.Meaning = c.Key+" or "+k.Key, c.Meaning+", or "+k.Meaning
			}
			c.Key, c.Meaning = k.Key, k.Meaning
		}
	}
}

// needsOfJudged returns, for each clause that some scenario judges, what its
// required checks need. Supplements hold nothing back.
func needsOfJudged(catalogue harness.Catalogue) map[harness.ClauseID]harness.Needs {
	needs := map[harness.ClauseID]harness.Needs{}
	for _, s := range catalogue.Scenarios {
		for _, c := range s.Checks {
			if c.Clause == "" {
				continue
			}
			needs[c.Clause] = append(needs[c.Clause], harness.Needs{}...)
			if c.Supplement {
				continue
			}
			needs[c.Clause] = append(append(needs[c.Clause], s.Needs...), c.Needs...)
			if c.Gates.Effects {
				needs[c.Clause] = append(needs[c.Clause], string(harness.CapEffects))
			}
		}
	}
	return needs
}
