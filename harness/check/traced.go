package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// spanShort is how much less than its dependency a span may have measured: what lies
// between the two, and what the machine adds.
const spanShort = 50*time.Millisecond + harness.TimeTolerance

// spanLong is how much more than its caller.
const spanLong = 50 * time.Millisecond

// Traced judges that the spans of a trace show each call and each attempt: one
// span of the call, which lasts from its first request to the end of its last and
// no longer than the call did for its caller, and failed as it did; and below it
// one for each request that reached the dependency.
//
// Why not simply as long as for the caller: a gateway has work of its own before
// and after, and how long a busy store keeps it tells nothing of the span.
func Traced(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if why := unread(h); why != "" {
			return harness.Undecided(why)
		}
		by := logged(h)
		any := false
		for _, records := range by {
			any = any || slices.ContainsFunc(records, func(e harness.Event) bool { return e.Log.IsSpan() })
		}
		if !any && len(clientCases(h, pick)) > 0 {
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "the target's log holds no span of a call (traceId, spanId, start, end); write spans to it as JSON lines to have them judged"}
		}
		return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict { return c.traced(by[c.last().Invoke.Case]) })(h)
	}
}

func (c clientCase) traced(records []harness.Event) harness.Verdict {
	last := c.last()
	sent := c.during(last)
	if len(sent) == 0 {
		return c.undecided("no request reached the dependency: " + came(last))
	}
	trace := ""
	for _, e := range records {
		if e.Log.IsSpan() && e.Log.CorrelationID == last.request().CorrelationID {
			trace = e.Log.Trace
		}
	}
	spans := map[string]harness.Event{}
	parents := map[string]bool{}
	var numbers []int
	for _, e := range records {
		if r := e.Log; r.IsSpan() && r.Trace == trace {
			spans[r.Span] = e
			if r.Attempt > 0 {
				numbers, parents[r.Parent] = append(numbers, r.Attempt), true
			}
		}
	}
	slices.Sort(numbers)
	if wanted := upTo(len(sent)); !slices.Equal(numbers, wanted) {
		return c.failCall(last, fmt.Sprintf("a span of each attempt, %v", wanted), fmt.Sprintf("spans of the attempts %v", numbers))
	}
	if len(parents) != 1 {
		return c.failCall(last, "one span of the call, to which those of its attempts belong", fmt.Sprint(len(parents)))
	}
	for parent := range parents {
		call, there := spans[parent]
		if !there {
			return c.failCall(last, "one span of the call, to which those of its attempts belong", "none: the attempts name span "+inQuotes(parent))
		}
		length := call.Log.End.Sub(call.Log.Start)
		if wire := onWire(last, sent); length < wire-spanShort {
			return c.failCall(last, "a span as long as the call was at its dependency, "+seconds(wire), seconds(length))
		}
		if length > took(last)+spanLong {
			return c.failCall(last, "a span no longer than the call was for its caller, "+seconds(took(last)), seconds(length))
		}
		if failed := gaveUp(last); call.Log.Failed != failed {
			return c.failCall(last, fmt.Sprintf("a span that failed: %t, as the call came to %s", failed, came(last)), fmt.Sprintf("failed: %t", call.Log.Failed))
		}
	}
	return harness.Passed(fmt.Sprintf("one span of the call and %d of its attempts", len(sent)), c.witnesses()...)
}

// onWire returns how long a call lasted as its dependency saw it: from the first of
// its requests to the end of the last, or until the caller had the answer, if what
// the call left behind was noticed later.
func onWire(a attempt, sent []harness.Event) time.Duration {
	ended := sent[0].Call.Ended
	for _, e := range sent {
		ended = max(ended, e.Call.Ended)
	}
	return min(ended, a.Done.At) - sent[0].Call.Started
}
