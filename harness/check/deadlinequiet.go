package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkDeadlineWatched says that the dependencies of a case were watched until then,
// while what is in doubt could not be found out.
const MarkDeadlineWatched = "deadline-watched"

// QuietAfterDeadline judges that no call with an effect begins for a request once
// its deadline is over, nor once it was answered: asking what became of one is
// allowed.
//
// An answer that is final ends all work on it. One that says that the outcome is
// being established leaves something to do, and reconciliation may well have to
// finish what it finds begun; but not before it has found out. So of held cases, in
// which nothing can be found out while they are watched, nothing may begin
// meanwhile, whatever the answer was. Of the others the time until the answer is
// looked at.
func QuietAfterDeadline(held, others Pick) func(*harness.History) harness.Verdict {
	return NoLooser(LimitDeadline, func(h *harness.History) harness.Verdict {
		down, reached := downstreamOf(h), 0
		inRequest, err := deadlines(h, others)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		for _, d := range inRequest {
			if d.request.Done.Seq == 0 {
				return harness.Undecided("the request of case "+d.label+" never ended", d.request.witness())
			}
			if v := d.quiet(h, down, window{d.last(h), d.request.Done.At}); v.Outcome != harness.Pass {
				return v
			}
		}
		afterwards, err := deadlines(h, held)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		watched := marks(h, MarkDeadlineWatched)
		for _, d := range afterwards {
			if !d.request.answered() {
				return harness.Undecided("no answer in case "+d.label+": "+d.request.Done.Error, d.request.witness())
			}
			if d.request.class(h) == harness.ClassPending && !d.reached(h) {
				continue // neither its deadline nor a final answer
			}
			until, looked := watched[d.id]
			w := window{min(d.last(h), d.request.Done.At+Early), until.At}
			if v := d.quiet(h, down, w); v.Outcome != harness.Pass {
				return v
			}
			if !looked || until.At < d.request.Invoke.At+2*deadlineOf(h)-Early {
				return harness.Undecided("case "+d.label+" was not watched to twice the deadline", d.request.witness())
			}
			if d.reached(h) {
				reached++
			}
		}
		if reached == 0 {
			return harness.Undecided("no request was kept busy until its deadline and watched after it")
		}
		return harness.Passed(fmt.Sprintf("no call with an effect began for %d requests after their deadline or their answer, watched to %s", len(inRequest)+len(afterwards), seconds(2*deadlineOf(h))))
	})
}

// last is the last moment at which a call may begin.
func (d deadlined) last(h *harness.History) time.Duration {
	return d.request.Invoke.At + deadlineOf(h) + h.Header.Tolerance(0)
}

// quiet judges that no call with an effect began in the window.
func (d deadlined) quiet(h *harness.History, down downstream, w window) harness.Verdict {
	for _, c := range d.calls {
		if c.Call.Started <= w.from || c.Call.Started > w.to || !moves(h, c) || d.asksByKey(h, c) {
			continue
		}
		return harness.Failed(fmt.Sprintf("no call with an effect after the deadline of %s, nor after the answer (case %s)", seconds(deadlineOf(h)), d.label),
			fmt.Sprintf("%s, %s after the request began; it was answered after %s: %s", callText(c), seconds(c.Call.Started-d.request.Invoke.At), seconds(d.took), statusText(d.request)), d.request.witness(), c.Seq)
	}
	return down.hidden(w, d.request.witness())
}

// moves reports whether a call can have an effect: what is declared neither to
// have one nor to ask for one counts by its method.
func moves(h *harness.History, c harness.Event) bool {
	for _, l := range h.Header.Links {
		for _, o := range l.Operations {
			if l.Name == c.Call.Link && o.Name == c.Call.Operation {
				return o.Effect != "" || !o.Query && changesByMethod(c)
			}
		}
	}
	return changesByMethod(c)
}

func changesByMethod(c harness.Event) bool {
	return c.Call.Method != "GET" && c.Call.Method != "HEAD"
}

// asksByKey reports whether a call repeats an unanswered one under its key, where
// the dependency can be asked in no other way.
func (d deadlined) asksByKey(h *harness.History, c harness.Event) bool {
	if c.Call.Key == "" || canAsk(h, c.Call.Link) {
		return false
	}
	for _, before := range d.calls {
		if before.Call.Started < c.Call.Started && before.Call.Link == c.Call.Link && before.Call.Key == c.Call.Key && before.Call.Status == 0 {
			return true
		}
	}
	return false
}

// canAsk reports whether the link has an operation that asks what became of a call.
func canAsk(h *harness.History, link string) bool {
	for _, l := range h.Header.Links {
		for _, o := range l.Operations {
			if l.Name == link && o.Query {
				return true
			}
		}
	}
	return false
}
