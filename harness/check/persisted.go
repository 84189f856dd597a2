package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// AttemptsPersisted judges that a status read between two attempts shows the ones
// that were made: attemptCount counts them all, and rises from one wait to the
// next. A call counts once its answer has been out for a moment, so that a target
// may write down an attempt when it is over.
func AttemptsPersisted(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		made := callsByCase(h, pick)
		reads, waits, counted := shownByCase(h, pick), 0, false
		var witness []int64
		for _, id := range sortedNames(reads) {
			before, rose := -1, 0
			for _, a := range reads[id] {
				ended, waiting := waitingAt(made[id], a)
				if !waiting {
					continue
				}
				got := a.Done.Answer.AttemptCount
				if got == nil {
					continue
				}
				counted = true
				if *got < ended {
					return harness.Failed(fmt.Sprintf("attemptCount %d or more while the target waits before its next attempt: so many calls had ended (case %s)", ended, label(h, id)),
						fmt.Sprintf("%d", *got), append(seqsOf(made[id][:ended]), a.witness())...)
				}
				if *got < before {
					return harness.Failed("an attemptCount that does not fall (case "+label(h, id)+")", fmt.Sprintf("%d after %d", *got, before), a.witness())
				}
				if *got > before {
					rose++
					witness = append(witness, a.witness())
				}
				before = *got
			}
			waits = max(waits, rose)
		}
		switch {
		case len(reads) == 0:
			return harness.Undecided("no status read found anything")
		case !counted:
			return harness.Undecided("no status read between two attempts shows an attemptCount; say where it is (response.attemptCount)")
		case waits < 2:
			return harness.Undecided("status reads fell into one wait only, and a rise takes two")
		}
		return harness.Passed(fmt.Sprintf("attemptCount rises with the attempts, over %d waits", waits), witness...)
	}
}

// waitingAt counts the calls that had ended when the read was sent, and reports
// whether the target was waiting then: the last of them had ended in a failure,
// and the next began after the read was answered.
func waitingAt(calls []harness.Event, read attempt) (ended int, waiting bool) {
	for i, c := range calls {
		if c.Call.Ended+Early > read.Invoke.At {
			return ended, waiting && c.Call.Started > read.Done.At
		}
		ended = i + 1
		waiting = c.Call.Status == 429 || c.Call.Status >= 500
	}
	return ended, false
}
