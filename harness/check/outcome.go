package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// BeganAs judges only where the first answer of every case is of the class: what
// follows is about something else otherwise.
func BeganAs(pick Pick, class harness.Class, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		first := firstByCase(h, pick)
		if len(first) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		for _, id := range slices.Sorted(maps.Keys(first)) {
			if a := first[id]; a.class(h) != class {
				return harness.Undecided(fmt.Sprintf("the first answer of case %s is no %s: %s", label(h, id), class, statusText(a)), a.witness())
			}
		}
		return judge(h)
	}
}

// SameOutcomeReplayed judges that every later answer to a request tells the
// outcome of its first terminal one: status, code and order.
func SameOutcomeReplayed(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		return replayed(h, pick, repeats, "the outcome of the first terminal answer", func(first, later harness.Answer) (string, string) {
			if inShort(first) != inShort(later) {
				return "the outcome " + inShort(first) + " again", inShort(later)
			}
			return "", ""
		})
	}
}

// PaymentCalledOnce judges that each case made exactly one call that moves money,
// whatever it was answered.
func PaymentCalledOnce(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		moves := map[string]bool{}
		for _, l := range h.Header.Links {
			for _, o := range l.Operations {
				moves[l.Name+"/"+o.Name] = slices.Contains([]string{"charge", "authorization"}, o.Effect)
			}
		}
		made := map[string][]int64{}
		for _, a := range keyed(attempts(h, pick)) {
			made[a.Invoke.Case] = nil
		}
		for _, c := range calls(h, pick) {
			if moves[c.Call.Link+"/"+c.Call.Operation] {
				made[c.Case] = append(made[c.Case], c.Seq)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(made)) {
			switch n := len(made[id]); {
			case n == 0:
				return harness.Undecided("no payment of case " + label(h, id) + " was seen on a link")
			case n > 1:
				return harness.Failed("one call that moves money in case "+label(h, id), fmt.Sprintf("%d", n), made[id]...)
			}
		}
		if len(made) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		down := downstreamOf(h)
		for _, a := range keyed(attempts(h, pick)) {
			if v := down.hidden(down.window(a), a.witness()); v.Outcome != harness.Pass {
				return v
			}
		}
		return harness.Passed(fmt.Sprintf("one payment in each of %d case(s)", len(made)))
	}
}

// OriginalAfterReversal judges that a checkout which was undone since by another
// operation is still answered as at first, byte for byte.
func OriginalAfterReversal(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return Unless(BodyNotKept, func(h *harness.History) harness.Verdict {
		judged := 0
		by := map[string][]attempt{}
		for _, a := range keyed(attempts(h, pick)) {
			by[a.Invoke.Case] = append(by[a.Invoke.Case], a)
		}
		for _, id := range slices.Sorted(maps.Keys(by)) {
			var first, undone attempt
			later := 0
			for _, a := range by[id] {
				switch {
				case a.request().Operation != harness.OpCheckout:
					if a.class(h) == harness.ClassSuccess {
						undone = a
					}
				case first.Done.Seq == 0 && a.class(h) == harness.ClassSuccess:
					first = a
				case undone.Done.Seq != 0 && a.Invoke.Seq > undone.Done.Seq && a.answered():
					later++
					if expected, observed := differs(h.Header.Dialect, *first.Done.Answer, *a.Done.Answer); observed != "" {
						if first.Done.Answer.Status == a.Done.Answer.Status {
							observed = observedBy(*first.Done.Answer, *a.Done.Answer)
						}
						return harness.Failed(expected+", although it was undone since", observed, first.witness(), undone.witness(), a.witness())
					}
				}
			}
			if first.Done.Seq == 0 || undone.Done.Seq == 0 || later < repeats {
				return harness.Undecided(fmt.Sprintf("case %s: made %v, undone %v, then repeated %d times, wanted %d", label(h, id), first.Done.Seq != 0, undone.Done.Seq != 0, later, repeats))
			}
			judged += later
		}
		if judged == 0 {
			return harness.Undecided("nothing was undone and repeated")
		}
		return harness.Passed(fmt.Sprintf("%d repeats of what was undone since, answered as at first", judged))
	})
}
