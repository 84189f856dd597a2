package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// ReconciledReplayNamesOrder judges that the replay of a checkout which was left
// pending, and then succeeded without being asked for, names the order that its
// status shows: the caller has no other answer to read it in.
func ReconciledReplayNamesOrder(pick Pick) func(*harness.History) harness.Verdict {
	return reconciledReplay(pick, func(status, replay attempt) harness.Verdict {
		wanted, got := status.Done.Answer.OrderID, replay.Done.Answer.OrderID
		switch {
		case wanted == "" && got == "":
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "neither the status nor the replay names an order (response.orderId)"}
		case wanted != "" && got != wanted:
			return harness.Failed("order "+wanted+", as in the status", "order "+spokenOf(got), status.witness(), replay.witness())
		}
		return harness.Passed("the replay names the order of the status: " + got)
	})
}

// ReconciledReplayFields judges that such a replay tells what the first answer of a
// success tells. Of which of the requests it tells the correlation id is left open.
func ReconciledReplayFields(pick Pick) func(*harness.History) harness.Verdict {
	return reconciledReplay(pick, func(status, replay attempt) harness.Verdict {
		missing := absent(replay.Done.Answer)
		if missing == "" && replay.Done.Answer.OrderID == "" {
			missing = "no orderId, although there is an order"
		}
		if missing != "" {
			return harness.Failed(answerFields, missing+" with "+statusText(replay), status.witness(), replay.witness())
		}
		return harness.Passed("the replay of what was found out has all fields")
	})
}

// reconciledReplay judges the first request of each case that was sent after its
// status was read as SUCCEEDED, where its first answer had left it pending.
func reconciledReplay(pick Pick, judge func(status, replay attempt) harness.Verdict) func(*harness.History) harness.Verdict {
	return Unless(PendingUnnamed, func(h *harness.History) harness.Verdict {
		firsts, reads := firstByCase(h, pick), shownByCase(h, pick)
		verdict := harness.Undecided("no checkout was left pending")
		for _, id := range slices.Sorted(maps.Keys(firsts)) {
			first, status, replay := firsts[id], attempt{}, attempt{}
			if first.answered() && first.class(h) != harness.ClassPending { // it has told already what there is to tell
				return harness.Verdict{Outcome: harness.NotApplicable, Reason: "case " + label(h, id) + " was not left pending: " + statusText(first)}
			}
			for _, a := range reads[id] {
				if a.Done.Answer.State == stateSucceeded && status.Done.Seq == 0 {
					status = a
				}
			}
			if status.Done.Seq == 0 {
				return harness.Undecided(fmt.Sprintf("nobody read that case %s had succeeded", label(h, id)), first.witness())
			}
			for _, a := range keyed(attempts(h, pick)) {
				if a.Invoke.Case == id && a.Invoke.Seq > status.Done.Seq && replay.Done.Seq == 0 {
					replay = a
				}
			}
			if replay.class(h) != harness.ClassSuccess {
				return harness.Undecided(fmt.Sprintf("case %s was not answered with its success when it was repeated: %s", label(h, id), statusText(replay)), first.witness(), status.witness())
			}
			if verdict = judge(status, replay); verdict.Outcome != harness.Pass {
				return verdict
			}
		}
		return verdict
	})
}
