package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkHeld and MarkReleased bound the time in which a scenario knows that the
// first request is still at work, because it holds one of its dependency calls.
const (
	MarkHeld     = "first-held"
	MarkReleased = "first-released"
)

// InProgressRefused judges that a duplicate sent while the first request is held
// is answered as in progress, within that time.
func InProgressRefused(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if v, out := Exclusion(InProgressUnrefused).verdict(h); out {
			return v
		}
		d := h.Header.Dialect
		judged, holds, releases := 0, marks(h, MarkHeld), marks(h, MarkReleased)
		for _, a := range keyed(attempts(h, pick)) {
			held, ok := holds[a.Invoke.Case]
			if !ok {
				return harness.Undecided("the first request of case " + label(h, a.Invoke.Case) + " was never held")
			}
			released, ok := releases[a.Invoke.Case]
			if !ok {
				return harness.Undecided("the first request of case " + label(h, a.Invoke.Case) + " was never released")
			}
			if a.Invoke.Seq < held.Seq || a.Invoke.Seq > released.Seq {
				continue
			}
			judged++
			want := fmt.Sprintf("status %v %s while the first request is at work", d.InProgress.Statuses, d.InProgress.Code)
			if !a.answered() || !d.InProgress.Matches(*a.Done.Answer) {
				return harness.Failed(want, statusText(a), held.Seq, a.witness(), released.Seq)
			}
		}
		if judged == 0 {
			return harness.Undecided("no duplicate was sent while the first request was held")
		}
		return harness.Passed(fmt.Sprintf("%d duplicates were told that the first is in progress", judged))
	}
}

// LosersConverge judges that every caller of one key ends with the same terminal
// answer, whoever won: each loser, asked again, gets the winner's. Where
// duplicates wait for the first request, nobody need lose: they get the winner's
// answer in their turn.
func LosersConverge(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		losers, waited := 0, 0
		list := groups(h, keyed(attempts(h, pick)))
		for _, group := range list {
			var winner attempt
			open, final, same := 0, 0, 0
			var last attempt
			for _, a := range group {
				terminal := a.class(h).Terminal()
				switch {
				case !terminal && !a.request().Final:
					open++
				case terminal && a.request().Final:
					final++
				}
				if !terminal {
					last = a
					continue
				}
				if winner.Done.Seq == 0 {
					winner = a
					continue
				}
				same++
				w, g := winner.Done.Answer, a.Done.Answer
				if _, observed := differs(h.Header.Dialect, *w, *g); observed != "" {
					return harness.Failed(fmt.Sprintf("the winner's answer (%s)", inShort(*w)), observedBy(*w, *g), winner.witness(), a.witness())
				}
			}
			if final < open {
				return harness.Failed("every loser to reach the winner's answer when it asks again",
					fmt.Sprintf("%d of %d losers of case %s did", final, open, label(h, group[0].Invoke.Case)), last.witness())
			}
			if open == 0 && same == 0 {
				return harness.Undecided("nobody else used the key of case " + label(h, group[0].Invoke.Case))
			}
			losers += open
			waited += same
		}
		if losers == 0 && waited > 0 && h.Header.Dialect.InProgress.Mode != "refuse" {
			return harness.Passed(fmt.Sprintf("%d duplicates waited and got the winner's answer", waited))
		}
		if losers == 0 {
			return harness.Undecided("nobody lost: no caller got a non-terminal answer")
		}
		return harness.Passed(fmt.Sprintf("%d losers reached the winner's answer", losers))
	}
}

// inShort is what tells two answers apart at a glance.
func inShort(a harness.Answer) string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, a.Code))
	if a.OrderID == "" {
		return text + ", no order"
	}
	return text + ", order " + a.OrderID
}

// observedBy tells what a loser got that is not the winner's answer. Where both
// look the same at a glance it says where their bodies differ.
func observedBy(winner, loser harness.Answer) string {
	if text := inShort(loser); text != inShort(winner) {
		return text
	}
	return inShort(loser) + ", in another body: it differs " + bodyDifference(winner, loser)
}

// BecomesTerminal judges invariant I4: once faults stop, every keyed request
// reaches a terminal answer in bounded time.
func BecomesTerminal(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		list := groups(h, keyed(attempts(h, pick)))
		for e := range h.Events() {
			if e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkPending && pick.accepts(h, e.Case) {
				return harness.Failed("a terminal answer in bounded time after the faults were lifted", e.Mark.Detail, e.Seq)
			}
		}
		for _, group := range list {
			terminal := false
			for _, a := range group {
				terminal = terminal || a.class(h).Terminal()
			}
			if !terminal {
				return harness.Undecided("case "+label(h, group[0].Invoke.Case)+" has no terminal answer", group[len(group)-1].witness())
			}
		}
		if len(list) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d keyed requests reached a terminal answer", len(list)))
	}
}
