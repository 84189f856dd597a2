package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Promptly is how soon a call has to return once its caller cancels.
const Promptly = 300 * time.Millisecond

// hardlyPromptly is how late a call may return that says it was cancelled and sent
// nothing any more, so that a busy machine may have been it: a client that goes on
// with what it waits for takes longer.
const hardlyPromptly = 800 * time.Millisecond

// StopsWhenCancelled judges what becomes of calls whose caller cancels that long
// after their start, once sent requests have gone out: the call returns at once
// and says that it was cancelled, the exchange under way ends, and nothing is
// sent any more.
func StopsWhenCancelled(pick Pick, after func(harness.ClientPolicy) time.Duration, sent int) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		call := c.calls[len(c.calls)-1]
		cancelled := call.Invoke.At + after(h.Header.Policy.Client)
		late := call.Done.At > cancelled+Promptly+harness.TimeTolerance // two processes told each other
		before := 0
		for _, e := range c.sent {
			if e.Call.Started <= cancelled {
				before++
			}
		}
		switch {
		case call.Done.At < cancelled-Early:
			return harness.Undecided("the call of case "+c.label+" had ended before its caller could cancel it", c.witnesses()...)
		case before != sent:
			return harness.Undecided(fmt.Sprintf("%s of case %s had gone out when the caller cancelled, not %d", requests(before), c.label, sent), c.witnesses()...)
		case len(c.sent) > before:
			return c.fail("nothing to be sent once the caller cancelled", requests(len(c.sent)-before)+", then "+outcomeOf(c))
		case call.Done.At > cancelled+hardlyPromptly:
			return c.fail("the call to return "+seconds(Promptly)+" after its caller cancelled at the latest", seconds(call.Done.At-cancelled)+" after it, with "+outcomeOf(c))
		case !call.answered() || call.Done.Answer.Outcome != harness.OutcomeCancelled:
			return c.fail("the outcome cancelled", outcomeOf(c))
		}
		for _, e := range c.sent {
			switch {
			case e.Call.Ended > cancelled+Cleanup:
				return c.fail("the exchange under way to end "+seconds(Cleanup)+" after the caller cancelled at the latest", seconds(e.Call.Ended-cancelled)+" after it")
			case e.Call.Ended > cancelled && e.Call.Outcome != harness.CallPeerLeft:
				return harness.Undecided("the dependency of case "+c.label+" ended the exchange itself, before the client had the time to", c.witnesses()...)
			}
		}
		if late {
			return harness.TooBusy("the call of case "+c.label+" was cancelled, and returned "+seconds(call.Done.At-cancelled)+" later: a busy machine takes as long, too", c.witnesses()...)
		}
		if c.watched < cancelled+Cleanup {
			return harness.Undecided("the dependency of case "+c.label+" was not watched for long enough after the cancellation", c.witnesses()...)
		}
		return harness.Passed(fmt.Sprintf("it stopped %s after its caller cancelled, with %s", seconds(call.Done.At-cancelled), outcomeOf(c)), c.witnesses()...)
	})
}
