package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// knocked returns how many connections the shut door of a case met.
func knocked(h *harness.History, c clientCase) int {
	n := 0
	for e := range h.Events() {
		if e.Type == harness.FaultEvent && label(h, e.Case) == c.label && strings.HasPrefix(e.Fault.Fault, harness.LinkDependency+":") {
			n = max(n, e.Fault.Fired)
		}
	}
	return n
}

// opened returns when the door of the call's dependency let somebody in, 0 if it
// never did.
func opened(h *harness.History, c clientCase) time.Duration {
	for e := range h.Events() {
		if e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkDoorOpened && label(h, e.Case) == c.label {
			return e.At
		}
	}
	return 0
}

// Knocks judges how many attempts to connect a shut door met in each case. There
// is no request of them, nor a connection: the kernel tells who waits at it.
func Knocks(pick Pick, want func(harness.ClientPolicy) (least, most int)) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		least, most := want(h.Header.Policy.Client)
		if n := knocked(h, c); n < least || n > most {
			return c.fail(between(least, most, "attempt")+" to connect", fmt.Sprintf("%d, then %s", n, outcomeOf(c)))
		}
		return harness.Passed(several(knocked(h, c), "attempt")+" to connect", c.witnesses()...)
	})
}

// Reconnects judges that a client which was refused comes back once the door is
// open. The door opens that long after it refused somebody first; waits of full
// jitter may all be over by then, and tell nothing.
func Reconnects(pick Pick, shut func(*harness.ClientInfo, harness.ClientPolicy) time.Duration) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		last := c.calls[len(c.calls)-1]
		opens := shut(h.Header.Client, h.Header.Policy.Client)
		switch own, declared := backoffOf(h); {
		case knocked(h, c) == 0:
			return harness.Undecided("nobody was refused at the door of case "+c.label, c.witnesses()...)
		case len(c.sent) == 1 && last.answered() && last.Done.Answer.Outcome == "" && last.Done.Answer.Status == c.sent[0].Call.Status:
			return harness.Passed("it came back and returned "+outcomeOf(c), c.witnesses()...)
		case declared && own.Jitter == "full" && took(last) < opens && took(last) > own.Base.Std()/20:
			return harness.Undecided(fmt.Sprintf("its attempts were over after %s, and the door opened after %s: with full jitter that may be chance", seconds(took(last)), seconds(opens)), c.witnesses()...)
		}
		// A system tells of a refused socket when its owner closes it.
		if at := opened(h, c); knocked(h, c) > 1 && (at == 0 || at >= last.Done.At) {
			return harness.Undecided("the call was over before its "+several(knocked(h, c), "refusal")+" could be seen, so the door did not open for it: the client keeps the sockets that were refused", c.witnesses()...)
		}
		return c.fail("a further attempt once the door was open, and its answer", several(len(c.sent), "request")+", then "+outcomeOf(c)+" after "+seconds(took(last)))
	})
}

// Given judges only where a control holds: without it the judgement would say
// nothing, unless it is a failure.
func Given(control, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		if c := control(h); c.Outcome != harness.Pass {
			return harness.Undecided("this would say nothing, since its control does not hold: "+c.Reason, c.Witness...)
		}
		return v
	}
}
