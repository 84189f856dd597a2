package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// DetailsHandled judges what becomes of a request that carries the details of a
// card where a token is expected, and says which it was: refused for its content,
// or accepted and then replayed like every other.
func DetailsHandled(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		refused, accepted := 0, 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first := firstInvoked(group)
			name := label(h, first.Invoke.Case)
			body := first.request().Body
			switch {
			case !strings.Contains(body, harness.CanaryCard.Marker()) || !strings.Contains(body, harness.CanaryCVC.Marker()):
				return harness.Undecided("the request of case "+name+" carried no details of a card", first.witness())
			case !first.answered():
				return harness.Undecided("no answer to the request of case "+name+": "+first.Done.Error, first.witness())
			case first.class(h) == harness.ClassSuccess:
				accepted++
				again := 0
				for _, a := range group {
					if a.Invoke.Seq == first.Invoke.Seq || !a.answered() {
						continue
					}
					again++
					if expected, observed := differs(h.Header.Dialect, *first.Done.Answer, *a.Done.Answer); observed != "" {
						return harness.Failed(expected, observed, first.witness(), a.witness())
					}
				}
				if again == 0 {
					return harness.Undecided("the accepted request of case "+name+" was not repeated", first.witness())
				}
			case !contentRefusal(h.Header.Dialect).Matches(*first.Done.Answer):
				return harness.Failed("a success, or a refusal with 400 or 422 "+codeValidation+", of the details of a card (case "+name+")", statusText(first), first.witness())
			default:
				refused++
			}
		}
		if refused+accepted == 0 {
			return harness.Undecided("nobody sent the details of a card")
		}
		return harness.Passed(fmt.Sprintf("of %d requests with the details of a card %d were refused and %d accepted and replayed", refused+accepted, refused, accepted))
	}
}

// DetailsKept judges that neither an answer nor the log repeats the details of a
// card that were sent. A record of the log has to be of one of the requests.
func DetailsKept(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		sent, answered, logged := false, 0, 0
		for e := range h.Events() {
			text := ""
			switch {
			case e.Type == harness.OK && pick.accepts(h, e.Case):
				answered++
				sent = sent || strings.Contains(e.Request.Body, harness.CanaryCard.Marker()) && strings.Contains(e.Request.Body, harness.CanaryCVC.Marker())
				text = e.Answer.Body + " " + e.Answer.Message
				for _, values := range e.Answer.Header {
					text += " " + strings.Join(values, " ")
				}
			case e.Type == harness.LogEvent:
				text = e.Log.Line
				if e.Case != "" && pick.accepts(h, e.Case) {
					logged++
				}
			}
			for _, canary := range []harness.Canary{harness.CanaryCard, harness.CanaryCVC} {
				if strings.Contains(text, canary.Marker()) {
					return harness.Failed("no details of a card in an answer or in the log", "the canary "+inQuotes(string(canary))+" in "+tellerOf(e), e.Seq)
				}
			}
		}
		switch {
		case !sent:
			return harness.Undecided("nobody sent the details of a card")
		case unread(h) != "":
			return harness.Undecided(unread(h))
		case logged == 0:
			return harness.Undecided("the log holds no record of these requests, so nothing shows that they are logged there")
		}
		return harness.Passed(fmt.Sprintf("no details of a card in %d answers and %d records of the log", answered, logged))
	}
}

func tellerOf(e harness.Event) string {
	if e.Type == harness.LogEvent {
		return placeOf(e)
	}
	return "an answer"
}
