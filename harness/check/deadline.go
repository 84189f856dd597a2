package check

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// beyondDeadline is by how much a plan of faults has to exceed the deadline: one
// that ends with it shows nothing.
const beyondDeadline = time.Second

// deadlined is what one case shows of a request that its dependencies kept busy
// until its deadline.
type deadlined struct {
	id, label string
	request   attempt
	took      time.Duration
	plan      time.Duration // what the faults of the case take, if nothing ends them
	calls     []harness.Event
}

// deadlines returns the first request of each picked case.
func deadlines(h *harness.History, pick Pick) ([]deadlined, error) {
	firsts, calls := firstByCase(h, pick), callsByCase(h, pick)
	plans, err := planned(h, pick)
	if err != nil {
		return nil, err
	}
	var list []deadlined
	for _, id := range slices.Sorted(maps.Keys(firsts)) {
		a := firsts[id]
		list = append(list, deadlined{id: id, label: label(h, id), request: a, took: a.Done.At - a.Invoke.At, plan: plans[id], calls: calls[id]})
	}
	return list, nil
}

// planned adds up, for each case, what the faults on its dependencies take: of an
// operation each faulted exchange, as far as its attempts and the time of a call go.
func planned(h *harness.History, pick Pick) (map[string]time.Duration, error) {
	type operation struct{ id, link, name string }
	of := map[operation]time.Duration{}
	for e := range h.Events() {
		if e.Type != harness.FaultEvent || e.Fault.Stage != harness.FaultPlanned || !pick.accepts(h, e.Case) {
			continue
		}
		f, err := harness.ParseFault(e.Fault.Fault)
		if err != nil {
			return nil, err
		}
		if f.Link == harness.LinkClient || f.Exchange > h.Header.Policy.Checkout.Attempts {
			continue
		}
		takes := f.Action.Delay.Std()
		if f.Action.Name == harness.ActStall {
			takes = h.Header.Policy.Client.Read.Std()
		}
		of[operation{e.Case, f.Link, f.Operation}] += takes
	}
	plans := map[string]time.Duration{}
	for op, takes := range of {
		plans[op.id] += min(takes, h.Header.Policy.Client.Total.Std())
	}
	return plans, nil
}

// deadlineOf is the deadline of the target of the history.
func deadlineOf(h *harness.History) time.Duration { return h.Header.Policy.Checkout.Deadline.Std() }

// reached reports whether the deadline ended the request: had it gone on for one
// more attempt, it would have been beyond it. One that ended before that was ended
// by something else.
func (d deadlined) reached(h *harness.History) bool {
	return d.took+h.Header.Policy.Client.Read.Std() >= deadlineOf(h)
}

// notReached says that the case proves nothing about the deadline.
func (d deadlined) notReached(h *harness.History) harness.Verdict {
	return harness.Undecided(fmt.Sprintf("the request of case %s ended by itself after %s, before its deadline of %s: %s", d.label, seconds(d.took), seconds(deadlineOf(h)), statusText(d.request)), d.request.witness())
}

// EndsAtDeadline judges that a request which its dependencies keep busy for longer
// ends at the deadline.
func EndsAtDeadline(pick Pick) func(*harness.History) harness.Verdict {
	return NoLooser(LimitDeadline, func(h *harness.History) harness.Verdict {
		cases, err := deadlines(h, pick)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		limit := deadlineOf(h) + h.Header.Tolerance(Cleanup)
		var longest time.Duration
		for _, d := range cases {
			longest = max(longest, d.took)
			switch {
			case d.request.Done.Seq == 0:
				return harness.Undecided("the request of case "+d.label+" never ended", d.request.witness())
			case d.took > limit:
				return harness.Failed(fmt.Sprintf("an answer within %s, the deadline and what it takes to let go (case %s)", seconds(limit), d.label),
					fmt.Sprintf("after %s: %s", seconds(d.took), statusText(d.request)), append(seqsOf(d.busy()), d.request.witness())...)
			case !d.request.answered():
				return harness.Undecided("no answer in case "+d.label+": "+d.request.Done.Error, d.request.witness())
			case d.plan < deadlineOf(h)+h.Header.Scaled(beyondDeadline):
				return harness.Undecided(fmt.Sprintf("what the dependencies do in case %s takes %s in all, which is not %s beyond the deadline of %s; a checkout of fewer calls cannot be kept busy for longer", d.label, seconds(d.plan), seconds(h.Header.Scaled(beyondDeadline)), seconds(deadlineOf(h))), d.request.witness())
			case !d.reached(h):
				return d.notReached(h)
			}
		}
		if len(cases) == 0 {
			return harness.Undecided("no request was kept busy until its deadline")
		}
		return harness.Passed(fmt.Sprintf("%d requests whose dependencies kept them busy for longer ended within %s", len(cases), seconds(longest)))
	})
}

// busy are the calls of the request.
func (d deadlined) busy() []harness.Event {
	return slices.DeleteFunc(slices.Clone(d.calls), func(c harness.Event) bool { return c.Call.Started > d.request.Done.At })
}
