package check

import (
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// RedirectTarget returns the label of the case that stands for the place to
// which the answers of another one redirect.
func RedirectTarget(label string) string { return "target-of-" + label }

// NotFollowed judges that nobody comes to the place to which the answers of the
// picked cases redirect.
func NotFollowed(pick Pick) func(*harness.History) harness.Verdict {
	return redirected(pick, func(c clientCase, calls, conns []harness.Event) harness.Verdict {
		if n := len(calls) + len(conns); n > 0 {
			what := "a connection"
			if len(calls) > 0 {
				what = "a request " + calls[0].Call.Method + " " + calls[0].Call.Path
			}
			return c.fail("the redirect not to be followed", what+" at its target")
		}
		return harness.Passed("the redirect was not followed", c.witnesses()...)
	})
}

// credentials are the headers that say who asks.
func credentials() []string { return []string{"Authorization", "Cookie", "Proxy-Authorization"} }

// CredentialsStay judges that a redirect to another origin, if it is followed,
// takes no credentials along.
func CredentialsStay(pick Pick) func(*harness.History) harness.Verdict {
	return redirected(pick, func(c clientCase, calls, _ []harness.Event) harness.Verdict {
		carried := func(call *harness.Call) []string {
			return slices.DeleteFunc(credentials(), func(name string) bool { return len(valuesIn(call.Lines, name)) == 0 })
		}
		if len(carried(c.sent[0].Call)) == 0 {
			return harness.Undecided("the request of case "+c.label+" carried no credentials that could leak", c.witnesses()...)
		}
		for _, e := range calls {
			if leaked := carried(e.Call); len(leaked) > 0 {
				return c.fail("no credentials for another origin", "the redirect was followed with "+strings.Join(leaked, ", "))
			}
		}
		return harness.Passed(several(len(calls), "request")+" at the target, none with credentials", c.witnesses()...)
	})
}

// redirected judges each picked case with what came to its target.
func redirected(pick Pick, one func(c clientCase, calls, conns []harness.Event) harness.Verdict) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		if len(c.sent) == 0 || c.sent[0].Call.Status/100 != 3 {
			return harness.Undecided("no request of case "+c.label+" was answered by a redirect", c.witnesses()...)
		}
		var calls, conns []harness.Event
		watched := false
		for e := range h.Events() {
			switch {
			case label(h, e.Case) != RedirectTarget(c.label):
			case e.Type == harness.CallEvent:
				calls = append(calls, e)
			case e.Type == harness.ConnEvent:
				conns = append(conns, e)
			case e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkWatchedPeer:
				watched = e.At >= c.calls[len(c.calls)-1].Done.At
			}
		}
		if v := one(c, calls, conns); v.Outcome == harness.Fail || watched {
			return v
		}
		return harness.Undecided("the target of the redirect of case "+c.label+" was not watched until the call was over", c.witnesses()...)
	})
}
