package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// UndoneStateNamed judges that the state of a checkout which was undone since is
// one of those that the requirements name: they have none for what was cancelled.
func UndoneStateNamed(pick Pick) func(*harness.History) harness.Verdict {
	known := []string{statePending, stateSucceeded, stateRetryable, stateFinal}
	return undoneState(pick, func(_ *harness.History, u undone) harness.Verdict {
		if state := u.later.Done.Answer.State; !slices.Contains(known, state) {
			return harness.Failed("a state that is one of "+strings.Join(known, ", ")+", although it was undone since", inQuotes(state), u.by.witness(), u.later.witness())
		}
		return harness.Passed("undone checkouts are in states that the requirements name")
	})
}

// UndoneStateKept judges that a checkout which had succeeded is still shown as one
// that did after it was undone: that was done by another request, which has a state
// of its own.
func UndoneStateKept(pick Pick) func(*harness.History) harness.Verdict {
	return undoneState(pick, func(h *harness.History, u undone) harness.Verdict {
		if other := statesOfItsOwn(shownByCase(h, pick)); other != "" {
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "its states have names of its own, so nobody can tell which are terminal: " + other}
		}
		was, is := u.earlier.Done.Answer.State, u.later.Done.Answer.State
		if !terminalState(was) {
			return harness.Undecided(inQuotes(was)+" before it was undone, which is not terminal", u.earlier.witness())
		}
		if is != was {
			return harness.Failed(was+" for good, although it was undone since", is+" later", u.earlier.witness(), u.by.witness(), u.later.witness())
		}
		return harness.Passed("checkouts that were undone since stay in their terminal states")
	})
}

// UndoneStateAgrees judges that the status of a checkout which was undone since
// says what its replay says: the same request, the same order and the same state.
func UndoneStateAgrees(pick Pick) func(*harness.History) harness.Verdict {
	return undoneState(pick, func(_ *harness.History, u undone) harness.Verdict {
		said, shows := u.replay.Done.Answer, u.later.Done.Answer
		for _, f := range []struct{ name, wanted, got string }{
			{"request", said.RequestID, shows.RequestID}, {"order", said.OrderID, shows.OrderID}, {"state", said.State, shows.State},
		} {
			if f.wanted != "" && f.got != f.wanted {
				return harness.Failed("a status that agrees with the replay: "+f.name+" "+f.wanted+", although it was undone since", f.name+" "+spokenOf(f.got), u.by.witness(), u.replay.witness(), u.later.witness())
			}
		}
		return harness.Passed("statuses of checkouts that were undone since agree with their replays")
	})
}

// undone is a checkout that another operation undid: its status before that, what
// undid it, a replay after it, and the status that was read then.
type undone struct{ earlier, by, replay, later attempt }

// undoneState judges each checkout of the pick that was undone between two reads.
func undoneState(pick Pick, judge func(*harness.History, undone) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := map[string]undone{}
		for _, a := range attempts(h, pick) {
			u := by[a.Invoke.Case]
			switch operation := a.request().Operation; {
			case !a.answered():
			case operation == harness.OpStatus && a.found() && u.by.Done.Seq == 0:
				u.earlier = a
			case operation == harness.OpStatus && a.found():
				u.later = a
			case operation == harness.OpCheckout && u.by.Done.Seq != 0:
				u.replay = a
			case operation != harness.OpCheckout && operation != harness.OpStatus && a.class(h) == harness.ClassSuccess:
				u.by = a
			}
			by[a.Invoke.Case] = u
		}
		verdict := harness.Undecided("nothing was undone between two reads of its status")
		for _, id := range slices.Sorted(maps.Keys(by)) {
			u := by[id]
			for _, part := range []struct {
				name string
				had  attempt
			}{{"read before it was undone", u.earlier}, {"undone", u.by}, {"repeated after that", u.replay}, {"read after that", u.later}} {
				if part.had.Done.Seq == 0 {
					return harness.Undecided(fmt.Sprintf("case %s was not %s", label(h, id), part.name))
				}
			}
			if verdict = judge(h, u); verdict.Outcome != harness.Pass {
				return verdict
			}
		}
		return verdict
	}
}
