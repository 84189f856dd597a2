package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// stranger reports whether an attempt came without credentials, or with ones
// that nobody may accept.
func stranger(a attempt) bool {
	p := a.request().Principal
	return p == "" || p == harness.NoPrincipal || strings.HasPrefix(p, harness.RefusedPrincipal(""))
}

// Unauthenticated judges that callers without good credentials are refused with
// 401 by every operation that the pick calls, without a call of a dependency,
// while the same request of a customer succeeds. Those are the operations that
// have to be there.
func Unauthenticated(pick Pick, operations ...string) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		down, refused, let := downstreamOf(h), map[string]int{}, map[string]bool{}
		for _, a := range attempts(h, pick) {
			op := a.request().Operation
			switch {
			case !a.answered():
				return harness.Undecided("no answer to "+op+" in case "+label(h, a.Invoke.Case)+": "+a.Done.Error, a.witness())
			case !stranger(a):
				let[op] = let[op] || a.Done.Answer.Status >= 200 && a.Done.Answer.Status < 300
				continue
			case a.Done.Answer.Status != 401:
				return harness.Failed("status 401 for "+op+" without good credentials (case "+label(h, a.Invoke.Case)+")", statusText(a), a.witness())
			}
			refused[op]++
			if v := down.untouched(h, a); v.Outcome != harness.Pass {
				return v
			}
		}
		n := 0
		for _, op := range operations {
			if refused[op] == 0 {
				return harness.Undecided("nobody without credentials called " + op)
			}
			if !let[op] {
				return harness.Undecided("no customer succeeded with " + op + ", so nothing shows that credentials would have helped")
			}
			n += refused[op]
		}
		if n == 0 {
			return harness.Undecided("nobody without credentials called anything")
		}
		return harness.Passed(fmt.Sprintf("%d requests without good credentials were refused", n))
	}
}

// NothingToldToStrangers judges that a finished key brings a caller without good
// credentials nothing: 401, no word of the stored answer, the same answer that an
// unused key brings, and no call of a dependency. Its owner still gets the stored
// one.
func NothingToldToStrangers(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		cases := map[string][]attempt{}
		var order []string
		for _, a := range keyed(attempts(h, pick)) {
			if cases[a.Invoke.Case] == nil {
				order = append(order, a.Invoke.Case)
			}
			cases[a.Invoke.Case] = append(cases[a.Invoke.Case], a)
		}
		down := downstreamOf(h)
		for _, id := range order {
			if v := toldToStrangers(h, down, label(h, id), cases[id]); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(order) == 0 {
			return harness.Undecided("nobody repeated a finished request")
		}
		return harness.Passed(fmt.Sprintf("%d kinds of callers without good credentials learnt nothing from a finished key", len(order)))
	}
}

func toldToStrangers(h *harness.History, down downstream, name string, list []attempt) harness.Verdict {
	first, last := list[0], list[len(list)-1]
	for _, a := range list {
		if !a.answered() {
			return harness.Undecided("no answer in case "+name+": "+a.Done.Error, a.witness())
		}
	}
	strangers := slices.DeleteFunc(slices.Clone(list), func(a attempt) bool { return !stranger(a) })
	switch expected, observed := differs(h.Header.Dialect, *first.Done.Answer, *last.Done.Answer); {
	case stranger(first) || stranger(last) || first.class(h) != harness.ClassSuccess:
		return harness.Undecided("case "+name+" does not begin with its owner's success and end with its owner", first.witness(), last.witness())
	case len(strangers) < 2 || strangers[0].scope(h).Key == strangers[len(strangers)-1].scope(h).Key:
		return harness.Undecided("in case "+name+" nobody tried the finished key and an unused one", first.witness())
	case observed != "":
		return harness.Failed(expected+" for the owner (case "+name+")", observed, first.witness(), last.witness())
	}
	for _, a := range strangers {
		if a.Done.Answer.Status != 401 {
			return harness.Failed("status 401 without good credentials, whatever is stored (case "+name+")", statusText(a), first.witness(), a.witness())
		}
		if what := storedWord(*first.Done.Answer, *a.Done.Answer); what != "" {
			return harness.Failed("no word of the stored answer without good credentials (case "+name+")", what, first.witness(), a.witness())
		}
		if v := down.untouched(h, a); v.Outcome != harness.Pass {
			return v
		}
		if got, unused := anonymous(a), anonymous(strangers[len(strangers)-1]); got != unused {
			return harness.Failed("the answer that an unused key brings (case "+name+")", "one that differs: "+difference(unused, got), a.witness(), strangers[len(strangers)-1].witness())
		}
	}
	return harness.Passed("nothing told")
}

// storedWord names what of a stored answer is found in another one.
func storedWord(stored, got harness.Answer) string {
	if stored.BodySHA256 == got.BodySHA256 {
		return "its body"
	}
	text := got.Body
	for _, values := range got.Header {
		text += " " + strings.Join(values, " ")
	}
	for _, named := range [][2]string{{"its order", stored.OrderID}, {"its request", stored.RequestID}} {
		if named[1] != "" && strings.Contains(text, named[1]) {
			return named[0] + " " + named[1]
		}
	}
	return ""
}
