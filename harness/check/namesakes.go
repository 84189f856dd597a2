package check

import (
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// AmongNamesakes adds to a pass of customers of several tenants what it does not
// show where none of them is known to have the name of another: a service that
// tells customers apart by their names and forgets the tenant passes as well.
func AmongNamesakes(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		var seen []harness.Principal
		var first, foreign string
		for _, a := range attempts(h, All()) {
			p := principalOf(h, a.request())
			if slices.ContainsFunc(seen, func(other harness.Principal) bool { return other.Tenant != p.Tenant && other.NamedLike(p) }) {
				return v
			}
			switch {
			case first == "":
				first = p.Name
			case foreign == "" && seen[0].Tenant != p.Tenant:
				foreign = p.Name
			}
			seen = append(seen, p)
		}
		if foreign == "" {
			return v
		}
		v.Hint = &harness.Hint{
			About: "principals." + foreign + ".sameNameAs",
			Text:  "nothing says that " + foreign + ", of another tenant, has the name of " + first + " there: a service that knows customers by their names and forgets the tenant would pass SRS-CHK-001.17, SRS-CHK-003.08, SRS-CHK-SEC.02 and invariant I5, too",
			Next:  "give " + foreign + " that name, or subject, at the target, and say principals." + foreign + ".sameNameAs: " + first,
		}
		return v
	}
}

// principalOf returns who sent a request, as far as judges know them.
func principalOf(h *harness.History, r harness.Request) harness.Principal {
	p := harness.Principal{Name: r.Principal, Tenant: r.Tenant}
	if i := slices.IndexFunc(h.Header.Namesakes, func(n harness.Principal) bool { return n.Name == r.Principal }); i >= 0 {
		p.SameNameAs = h.Header.Namesakes[i].SameNameAs
	}
	return p
}
