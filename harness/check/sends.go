package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// Sends judges how many requests a dependency received for the calls of each
// case. They are counted at the peer, where hidden repeats of a transport show,
// too.
func Sends(pick Pick, least, most int) func(*harness.History) harness.Verdict {
	return SendsBy(pick, func(harness.ClientPolicy) (int, int) { return least, most })
}

// SendsBy is Sends where the declared policy says how many there have to be.
func SendsBy(pick Pick, want func(harness.ClientPolicy) (least, most int)) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		least, most := want(h.Header.Policy.Client)
		if n := len(c.sent); n < least || n > most {
			return c.fail(between(least, most, "request")+" at the dependency", fmt.Sprintf("%d, then %s", n, outcomeOf(c)))
		}
		return harness.Passed(requests(len(c.sent))+" at the dependency", c.witnesses()...)
	})
}

// SendsUntilReturn is SendsBy for what was sent until the last call of the case
// had returned. What comes later is another fault: see [QuietAfterReturn].
func SendsUntilReturn(pick Pick, want func(harness.ClientPolicy) (least, most int)) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		least, most := want(h.Header.Policy.Client)
		if n := len(c.untilReturn()); n < least || n > most {
			return c.fail(between(least, most, "request")+" at the dependency until the call returns", fmt.Sprintf("%d, then %s", n, outcomeOf(c)))
		}
		return harness.Passed(requests(len(c.untilReturn()))+" at the dependency", c.witnesses()...)
	})
}

// untilReturn returns the requests that had arrived when the last call returned.
func (c clientCase) untilReturn() []harness.Event {
	returned := c.calls[len(c.calls)-1].Done.At
	for i, e := range c.sent { // in order of arrival
		if e.Call.Started > returned+Early {
			return c.sent[:i]
		}
	}
	return c.sent
}

// requests writes "1 request" or "3 requests".
func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// Connects judges how many connections a dependency was asked for in each case.
func Connects(pick Pick, least, most int) func(*harness.History) harness.Verdict {
	return ConnectsBy(pick, func(harness.ClientPolicy) (int, int) { return least, most })
}

// ConnectsBy is Connects where the declared policy says how many there may be.
func ConnectsBy(pick Pick, want func(harness.ClientPolicy) (least, most int)) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		least, most := want(h.Header.Policy.Client)
		if n := len(c.conns); n < least || n > most {
			return c.fail(between(least, most, "connection")+" at the dependency", fmt.Sprintf("%d, then %s", n, outcomeOf(c)))
		}
		return harness.Passed(fmt.Sprintf("%d connections at the dependency", len(c.conns)), c.witnesses()...)
	})
}

// between writes "exactly 3 requests", "at most 2 requests" or "2 to 3 requests".
func between(least, most int, noun string) string {
	plural := noun + "s"
	if most == 1 {
		plural = noun
	}
	switch {
	case least == most && most == 0:
		return "no " + noun
	case least == most:
		return fmt.Sprintf("exactly %d %s", most, plural)
	case least == 0:
		return fmt.Sprintf("at most %d %s", most, plural)
	}
	return fmt.Sprintf("%d to %d %s", least, most, plural)
}

// outcomeOf tells how the last call of the case ended.
func outcomeOf(c clientCase) string {
	if len(c.calls) == 0 {
		return "no call"
	}
	a := c.calls[len(c.calls)-1]
	if !a.answered() || a.Done.Answer.Outcome == "" {
		return statusText(a)
	}
	switch answer := a.Done.Answer; {
	case answer.Outcome == harness.OutcomeCancelled:
		return "cancelled"
	case answer.Status > 0:
		return answer.Outcome + " " + statusText(a)
	case answer.Message != "":
		return answer.Outcome + " without a status: " + answer.Message
	default:
		return answer.Outcome + " without a status"
	}
}
