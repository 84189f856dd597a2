package harness

import (
	"slices"
	"strings"
)

// Tried says whether something that the profile claims works at all: a principal,
// or a capability. It is tried once, with the positive control, since a claim
// that does not hold would otherwise show as a verdict of the target, or, where
// no scenario makes use of it, not at all.
type Tried struct {
	Name   string `json:"name"`   // the principal, or the capability and what of it: feature-flag.redrive
	Works  bool   `json:"works"`  //
	Reason string `json:"reason"` // why not, or what showed that it works
}

// Outcome returns pass or inconclusive: what the profile claims wrongly is no
// failure of the target's.
func (t Tried) Outcome() Outcome {
	if t.Works {
		return Pass
	}
	return Inconclusive
}

// The marks of a try, and the prefixes of its case's label: the rest of the label
// is the name of what is tried.
const (
	principalCase         = "principal-"
	markPrincipalWorks    = "principal-works"
	markPrincipalUnusable = "principal-unusable"

	claimCase        = "claim-"
	markClaimWorks   = "claim-works"
	markClaimWorkNot = "claim-works-not"
)

// JudgePrincipals returns what the history of the positive control shows about
// the principals that were tried, in that order.
func JudgePrincipals(h *History) []Tried {
	return judgeTried(h, principalCase, markPrincipalWorks, markPrincipalUnusable)
}

// JudgeClaims returns what the history of the positive control shows about the
// capabilities that were tried, in that order, and about the dependencies that
// are declared.
func JudgeClaims(h *History) []Tried {
	return append(judgeControls(h), judgeLinks(h)...)
}

// judgeControls is JudgeClaims without what the plain checkouts show by themselves.
func judgeControls(h *History) []Tried {
	return judgeTried(h, claimCase, markClaimWorks, markClaimWorkNot)
}

func judgeTried(h *History, prefix, works, worksNot string) []Tried {
	var list []Tried
	for e := range h.Events() {
		name, ok := strings.CutPrefix(e.Case, ControlID+"/"+prefix)
		if ok && e.Type == MarkEvent && (e.Mark.Name == works || e.Mark.Name == worksNot) {
			list = append(list, Tried{Name: name, Works: e.Mark.Name == works, Reason: e.Mark.Detail})
		}
	}
	return list
}

// triedBeside reports whether the case tried a principal or a claim: it is none
// of the checkouts that the positive control counts.
func triedBeside(caseID string) bool { return triedPrincipal(caseID) || triedClaim(caseID) }

func triedPrincipal(caseID string) bool {
	return strings.HasPrefix(caseID, ControlID+"/"+principalCase)
}

func triedClaim(caseID string) bool { return strings.HasPrefix(caseID, ControlID+"/"+claimCase) }

// Unusable returns the principals that the profile claims and that do not work.
func (r RunInfo) Unusable() []Tried { return notWorking(r.Principals) }

// Unmet returns the capabilities that the profile claims and that do not work.
func (r RunInfo) Unmet() []Tried { return notWorking(r.Claims) }

func notWorking(list []Tried) []Tried {
	return slices.DeleteFunc(slices.Clone(list), func(t Tried) bool { return t.Works })
}
