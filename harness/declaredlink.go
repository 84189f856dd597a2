package harness

import (
	"slices"
	"strings"
)

// linkClaim begins the name of the claim that a dependency is called through us.
const linkClaim = "dependencies."

// judgeLinks tells of each declared dependency whether the plain checkouts of the
// positive control called it through us. A link that nobody uses is silent
// whatever the target does, so that no silence of it could prove anything. Where
// no plain checkout succeeded nothing is known.
func judgeLinks(h *History) []Tried {
	made, use := false, LinkUse{}
	for e := range h.Events() {
		if e.Type == CallEvent && e.Case == "" {
			use.Add(*e.Call, false)
		}
		if triedBeside(e.Case) || calledClient(e.Case) || e.Case == "" {
			continue
		}
		switch {
		case e.Type == OK && e.Request != nil && e.Answer != nil:
			made = made || h.Header.Dialect.Classify(*e.Answer) == ClassSuccess
		case e.Type == CallEvent:
			use.Add(*e.Call, true)
		}
	}
	if !made {
		return nil
	}
	return use.Judge(h.Header.Links, h.Header.PerSuccess)
}

// missed says what of the link the plain checkouts should have called and did
// not, or "": for each counted effect an operation that leaves it, and where it
// leaves none any call at all.
func (l LinkInfo) missed(called map[string]bool, perSuccess map[string]int) string {
	leaving := map[string][]string{} // operations by effect
	var effects []string
	for _, o := range l.Operations {
		if o.Effect != "" && perSuccess[o.Effect] > 0 {
			if leaving[o.Effect] == nil {
				effects = append(effects, o.Effect)
			}
			leaving[o.Effect] = append(leaving[o.Effect], o.Name)
		}
	}
	for _, effect := range effects {
		if !slices.ContainsFunc(leaving[effect], func(name string) bool { return called[name] }) {
			return "came through it as " + strings.Join(leaving[effect], " or ") + ", which leaves the " + effect
		}
	}
	if len(called) == 0 {
		return "came through it"
	}
	return ""
}

// unusedLinks returns the declared dependencies that the plain checkouts of the
// positive control did not call.
func unusedLinks(h *History) []string {
	var names []string
	for _, t := range notWorking(judgeLinks(h)) {
		names = append(names, strings.TrimPrefix(t.Name, linkClaim))
	}
	return names
}
