package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// What a status read says of a checkout.
const (
	statePending   = "PENDING"
	stateSucceeded = "SUCCEEDED"
	stateRetryable = "FAILED_RETRYABLE"
)

// PendingUnnamed excludes what is said of the answer to a request that is still
// being worked on.
func PendingUnnamed(d harness.Dialect) string {
	if len(d.Pending.Statuses) == 0 {
		return "names no status for a request whose outcome is being established (pending)"
	}
	return ""
}

// namesNo excludes what is said of answers of a class that the dialect cannot tell.
func namesNo(class harness.Class) Exclusion {
	switch class {
	case harness.ClassPending:
		return PendingUnnamed
	case harness.ClassDeclined:
		return DeclineUnnamed
	}
	return func(harness.Dialect) string { return "" }
}

// PendingThenSucceeded judges that a request whose deadline comes while a payment
// was made and not answered is left pending where the provider can be asked, and
// succeeds once the provider was.
func PendingThenSucceeded(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(PendingUnnamed, func(h *harness.History) harness.Verdict {
		cases, err := deadlines(h, pick)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		for _, d := range cases {
			if v := d.pending(h); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(cases) == 0 {
			return harness.Undecided("no request was kept busy until its deadline")
		}
		return harness.Passed(fmt.Sprintf("%d requests were left pending at their deadline and succeeded once the provider was asked", len(cases)))
	})
}

func (d deadlined) pending(h *harness.History) harness.Verdict {
	lost, ok := d.lostPayment(h)
	switch {
	case !ok:
		return harness.Undecided("no payment was made and left without an answer in case "+d.label, d.request.witness())
	case !canAsk(h, lost.Call.Link):
		return harness.Undecided(fmt.Sprintf("the provider cannot be asked (dependencies.%s.operations: query: true)", lost.Call.Link), lost.Seq)
	case !d.request.answered():
		return harness.Undecided("no answer in case "+d.label+": "+d.request.Done.Error, d.request.witness())
	case d.took > deadlineOf(h)+h.Header.Tolerance(Cleanup):
		return harness.Undecided(fmt.Sprintf("the request of case %s was not ended by its deadline of %s but went on for %s", d.label, seconds(deadlineOf(h)), seconds(d.took)), d.request.witness())
	case !d.reached(h):
		return d.notReached(h)
	case d.request.class(h) != harness.ClassPending:
		return harness.Failed("an answer that the outcome is being established: the provider can be asked (case "+d.label+")", statusText(d.request), lost.Seq, d.request.witness())
	}
	reads := d.reads(h)
	switch {
	case len(reads) == 0 || !reads[0].answered():
		return harness.Undecided("nobody read the status of case "+d.label, d.request.witness())
	case reads[0].Done.Answer.State != statePending:
		return harness.Failed(statePending+" while the outcome is being established (case "+d.label+")", stateText(reads[0]), d.request.witness(), reads[0].witness())
	}
	last := reads[len(reads)-1]
	if !last.answered() {
		return harness.Undecided("no answer to a status read: "+last.Done.Error, last.witness())
	}
	if last.Done.Answer.State != stateSucceeded {
		return harness.Failed(stateSucceeded+" once the provider can be asked (case "+d.label+")", stateText(last), lost.Seq, last.witness())
	}
	return harness.Passed("left pending")
}

// reads are the status reads of the case after the request, in order.
func (d deadlined) reads(h *harness.History) []attempt {
	return slices.DeleteFunc(statusReads(attempts(h, Labelled(d.label))), func(a attempt) bool {
		return a.Invoke.Case != d.id || a.Invoke.Seq < d.request.Done.Seq
	})
}

func stateText(a attempt) string {
	return fmt.Sprintf("%s, state %q", statusText(a), a.Done.Answer.State)
}

// lostPayment returns the payment that was made within the request and of which it
// was not told.
func (d deadlined) lostPayment(h *harness.History) (harness.Event, bool) {
	for _, c := range d.busy() {
		pays := slices.Contains([]string{"charge", "capture", "authorization"}, effectOf(h, c.Call.Link, c.Call.Operation))
		if pays && c.Call.Fault != "" && c.Call.Upstream >= 200 && c.Call.Upstream < 300 && c.Call.Status == 0 {
			return c, true
		}
	}
	return harness.Event{}, false
}
