package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkReads and MarkReadsOver stand around the reads that have to change nothing.
const (
	MarkReads     = "reads"
	MarkReadsOver = "reads-over"
)

// ReadsChangeNothing judges that n reads of a checkout have no side effect: no
// dependency is called meanwhile, and all of them are told the same state, time of
// change and count of attempts. Nothing but the reads may be under way, so the
// checkout is at rest: finished, or waiting for its caller.
func ReadsChangeNothing(pick Pick, n int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		d := downstreamOf(h)
		begun, over := marks(h, MarkReads), marks(h, MarkReadsOver)
		judged := 0
		for _, reads := range readsByCase(h, pick) {
			id := reads[0].Invoke.Case
			from, to := begun[id], over[id]
			if from.Seq == 0 || to.Seq == 0 {
				return harness.Undecided("case " + label(h, id) + " does not say when its reads began and ended")
			}
			var first attempt
			counted := 0
			for _, a := range reads {
				if a.Invoke.Seq < from.Seq || a.Invoke.Seq > to.Seq {
					continue
				}
				if !a.found() {
					return harness.Undecided("a read brought nothing: "+statusText(a), a.witness())
				}
				if counted++; counted == 1 {
					first = a
				}
				if want, got := changing(first), changing(a); want != got {
					return harness.Failed("reads that change nothing: "+want, got, first.witness(), a.witness())
				}
			}
			if counted < n {
				return harness.Undecided(fmt.Sprintf("%d reads in case %s, wanted %d", counted, label(h, id), n))
			}
			if first.Done.Answer.UpdatedAt == "" || first.Done.Answer.AttemptCount == nil || first.Done.Answer.State == "" {
				return harness.Undecided("a status without state, attemptCount or updatedAt does not show whether something changed (response in the profile says where they are)", first.witness())
			}
			for _, c := range d.calls[id] {
				if c.Call.Started >= from.At && c.Call.Started <= to.At {
					return harness.Failed("no dependency call while a status is read (case "+label(h, id)+")", callText(c), first.witness(), c.Seq)
				}
			}
			if v := d.hidden(window{from.At, to.At}, first.witness()); v.Outcome != harness.Pass {
				return v
			}
			judged++
		}
		if judged == 0 {
			return harness.Undecided("nobody read a status")
		}
		return harness.Passed(fmt.Sprintf("%d reads of each of %d checkouts called nothing and changed nothing", n, judged))
	}
}

// changing is what of a status would show that something happened.
func changing(a attempt) string {
	count := "unknown"
	if c := a.Done.Answer.AttemptCount; c != nil {
		count = fmt.Sprint(*c)
	}
	return fmt.Sprintf("state %s, attemptCount %s, updatedAt %s", a.Done.Answer.State, count, a.Done.Answer.UpdatedAt)
}
