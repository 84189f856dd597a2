package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkWentOn is noted for each abandoned request once its work had come to rest,
// and before anybody asked again: count holds the effects in the ledger.
const MarkWentOn = "without-its-caller"

// GoesOnAlone judges that the work of each request in the pick, whose caller hung
// up while it was under way, was done to its end without him.
func GoesOnAlone(pick Pick) func(*harness.History) harness.Verdict {
	return abandonedWith(pick, func(h *harness.History, id string, left harness.Event) harness.Verdict {
		for _, kind := range sortedNames(h.Header.PerSuccess) {
			want := h.Header.PerSuccess[kind]
			if got := left.Mark.Count[kind]; got != int64(want) {
				return harness.Failed(fmt.Sprintf("%d %s of case %s, whose caller hung up while it was at work, before he asks again", want, kind, label(h, id)), fmt.Sprint(got), left.Seq)
			}
		}
		return harness.Passed("")
	}, "went on to its end without its caller")
}

// HalfDoesNothing judges that half of a request, after which its caller hung up,
// had no effect.
func HalfDoesNothing(pick Pick) func(*harness.History) harness.Verdict {
	return abandonedWith(pick, func(h *harness.History, id string, left harness.Event) harness.Verdict {
		for _, kind := range sortedNames(left.Mark.Count) {
			if got := left.Mark.Count[kind]; got != 0 {
				return harness.Failed("no effect of half a request (case "+label(h, id)+")", fmt.Sprintf("%d %s", got, kind), left.Seq)
			}
		}
		return harness.Passed("")
	}, "had no effect")
}

// abandonedWith judges what every abandoned case of the pick left in the ledger.
func abandonedWith(pick Pick, judge func(h *harness.History, id string, left harness.Event) harness.Verdict, passes string) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		hungUp, left := marks(h, harness.MarkAbandoned), marks(h, MarkWentOn)
		n := 0
		for _, a := range keyed(attempts(h, pick)) {
			id := a.Invoke.Case
			if _, ok := hungUp[id]; !ok {
				return harness.Undecided("nobody hung up in case " + label(h, id))
			}
			read, ok := left[id]
			if !ok {
				return harness.Undecided("the ledger was not read before case " + label(h, id) + " was asked for again")
			}
			if len(h.Header.PerSuccess) == 0 {
				return harness.Undecided("no effects are declared, so nothing can be counted")
			}
			if v := judge(h, id, read); v.Outcome != harness.Pass {
				return v
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("no request was abandoned")
		}
		return harness.Passed("each abandoned request " + passes)
	}
}
