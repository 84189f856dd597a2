package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// KeptOut judges that an operation on a checkout is refused to others than who
// bought it. Which refusal is not asked: whether an id exists is told by the status.
// In the cases of own the buyer carries it out, which shows that it works.
func KeptOut(pick, own Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		n, works := 0, map[string]bool{}
		for _, a := range beside(h, own) {
			works[a.request().Operation] = works[a.request().Operation] || a.class(h) == harness.ClassSuccess
		}
		for _, a := range beside(h, pick) {
			op, status := a.request().Operation, 0
			if a.answered() {
				status = a.Done.Answer.Status
			}
			switch {
			case status >= 200 && status < 300:
				return harness.Failed(fmt.Sprintf("a refusal of %s for %s, whose checkout it is not (case %s)", op, a.request().Principal, label(h, a.Invoke.Case)), statusText(a), a.witness())
			case status < 400 || status > 499 || status == 408 || status == 425 || status == 429:
				return harness.Undecided(fmt.Sprintf("%s for %s, whose checkout it is not, was neither refused nor carried out: %s", op, a.request().Principal, statusText(a)), a.witness())
			case !works[op]:
				return harness.Undecided("nobody succeeded with "+op+", so its refusal shows nothing", a.witness())
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("nobody tried an operation on a checkout of somebody else")
		}
		return harness.Passed(fmt.Sprintf("%d operations on somebody else's checkout were refused", n))
	}
}

// Unhindered judges that customers who use one key for an operation, each for what
// is theirs, all succeed with it, each in a case of their own.
func Unhindered(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		type shared struct{ operation, key string }
		users := map[shared]attempt{}
		pairs := 0
		for _, a := range beside(h, pick) {
			s := shared{a.request().Operation, strings.Join(a.request().Keys, "\n")}
			first, used := users[s]
			switch {
			case !a.answered() || toldToWait(h, a):
				return harness.Undecided(fmt.Sprintf("no final answer to %s in case %s: %s", s.operation, label(h, a.Invoke.Case), statusText(a)), a.witness())
			case !used && a.class(h) != harness.ClassSuccess:
				return harness.Undecided("the first use of a key for "+s.operation+" did not succeed: "+statusText(a), a.witness())
			case !used:
				users[s] = a
				continue
			case a.class(h) != harness.ClassSuccess:
				return harness.Failed(fmt.Sprintf("a success with %s for %s, whoever else uses the key", s.operation, a.request().Principal), statusText(a), first.witness(), a.witness())
			}
			if named := namedByBoth(first, a); named != "" {
				return harness.Failed(fmt.Sprintf("an answer of its own to %s for %s", s.operation, a.request().Principal), "the "+named+" of "+first.request().Principal, first.witness(), a.witness())
			}
			pairs++
		}
		if pairs == 0 {
			return harness.Undecided("no two customers used one key for an operation")
		}
		return harness.Passed(fmt.Sprintf("%d operations under a key that another customer had used, each with its own success", pairs))
	}
}

// OtherRequestRefused judges that the key of an operation is refused for anything
// else. What the path names is a part of what was asked: a target that answers for
// one checkout what it did to another has told its caller of a refund that nobody
// made. One whose keys belong to what the path names may carry it out, and then
// answers for that.
func OtherRequestRefused(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		type use struct{ tenant, principal, operation, key string }
		first, judged := map[use]attempt{}, 0
		for _, a := range beside(h, pick) {
			r := a.request()
			u := use{r.Tenant, r.Principal, r.Operation, strings.Join(r.Keys, "\n")}
			original, used := first[u]
			if !used {
				first[u] = a
				if a.class(h) != harness.ClassSuccess {
					return harness.Undecided("the first "+r.Operation+" did not succeed: "+statusText(a), a.witness())
				}
				continue
			}
			elsewhere := r.Path != original.request().Path
			if !elsewhere && sameBody(a, original) {
				continue
			}
			named := namedByBoth(original, a)
			switch {
			case !a.answered() || toldToWait(h, a) && !a.mismatched(h):
				return harness.Undecided("no final answer to another "+r.Operation+" under a used key: "+statusText(a), a.witness())
			case elsewhere && a.class(h) == harness.ClassSuccess && named == "": // the ledger tells whether it was made
			case !a.mismatched(h):
				observed := statusText(a)
				if named != "" {
					observed += " with the " + named + " of the first"
				}
				return harness.Failed(fmt.Sprintf("status %v %s for another %s under a used key", h.Header.Dialect.Mismatch.Statuses, h.Header.Dialect.Mismatch.Code, r.Operation),
					observed, original.witness(), a.witness())
			}
			judged++
		}
		if judged == 0 && len(first) > 0 {
			return harness.Inapplicable("no operation of the profile names a checkout, or has an amount in its body that could be another")
		}
		if judged == 0 {
			return harness.Undecided("no operation beside the checkout was called")
		}
		return harness.Passed(fmt.Sprintf("%d other requests under the key of an operation were not taken for its repeats", judged))
	})
}

// beside returns the attempts of the operations beside the checkout.
func beside(h *harness.History, pick Pick) []attempt {
	var list []attempt
	for _, a := range keyed(attempts(h, pick)) {
		if a.request().Operation != harness.OpCheckout {
			list = append(list, a)
		}
	}
	return list
}

// namedByBoth returns an id that both answers name.
func namedByBoth(a, b attempt) string {
	if !a.answered() || !b.answered() {
		return ""
	}
	for _, one := range namedIn(*a.Done.Answer) {
		for _, other := range namedIn(*b.Done.Answer) {
			if one == other {
				return one
			}
		}
	}
	return ""
}
