package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// Audited judges that the log holds a record of each attempt and of each change of
// state of a checkout: attempts with the request, the dependency and their number,
// as many as the provider's journal shows; changes that follow upon each other, up
// to the state that the checkout ended in.
func Audited(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if why := unread(h); why != "" {
			return harness.Undecided(why)
		}
		by, made := logged(h), callsByCase(h, pick)
		total := 0
		firsts := firstByCase(h, pick)
		for _, id := range sortedNames(firsts) {
			first := firsts[id]
			if first.class(h) != harness.ClassSuccess || len(made[id]) == 0 {
				return harness.Undecided("case "+label(h, id)+" made no success out of calls: "+statusText(first), first.witness())
			}
			if v := auditedAttempts(h, id, first, by[id], made[id]); v.Outcome != harness.Pass {
				return v
			}
			if v := auditedChanges(h, id, first, by[id]); v.Outcome != harness.Pass {
				return v
			}
			total += len(made[id])
		}
		if total == 0 {
			return harness.Undecided("no checkout called a dependency")
		}
		return harness.Passed(fmt.Sprintf("%d attempts of %d checkouts and their changes of state, each with its record", total, len(firsts)))
	}
}

// auditedAttempts compares the records of attempts with the calls of the case, by
// dependency where the log calls them what the profile does.
func auditedAttempts(h *harness.History, id string, first attempt, log, made []harness.Event) harness.Verdict {
	calls, records := map[string]int{}, map[string]int{}
	for _, c := range made {
		calls[c.Call.Link]++
	}
	var seqs []int64
	for _, e := range log {
		r := e.Log
		if r.IsSpan() || r.IsChange() || r.Attempt == 0 {
			continue
		}
		seqs = append(seqs, e.Seq)
		switch {
		case r.RequestID != first.Done.Answer.RequestID, r.Dependency == "", r.CorrelationID == "", r.Time.IsZero():
			return harness.Failed("requestId, dependency, attempt, correlationId and time in the record of each attempt (case "+label(h, id)+")",
				fmt.Sprintf("requestId %q, dependency %q, attempt %d, correlationId %q, time %q", r.RequestID, r.Dependency, r.Attempt, r.CorrelationID, stampText(r)), e.Seq, first.witness())
		case calls[r.Dependency] == 0:
			return harness.Undecided(fmt.Sprintf("the log tells of attempts at %q, which the profile does not call a dependency", r.Dependency), e.Seq)
		}
		records[r.Dependency]++
	}
	for _, link := range sortedNames(calls) {
		if records[link] != calls[link] {
			return harness.Failed(fmt.Sprintf("a log record of each of the %d calls of %s (case %s)", calls[link], link, label(h, id)), fmt.Sprintf("%d records", records[link]), append(seqs, first.witness())...)
		}
	}
	return harness.Passed("as many")
}

// auditedChanges follows the records of changes.
func auditedChanges(h *harness.History, id string, first attempt, log []harness.Event) harness.Verdict {
	state, changes := "", 0
	for _, e := range log {
		r := e.Log
		if !r.IsChange() {
			continue
		}
		switch {
		case r.RequestID != first.Done.Answer.RequestID, r.CorrelationID == "", r.Time.IsZero():
			return harness.Failed("requestId, the state before and after, correlationId and time in the record of each change (case "+label(h, id)+")",
				fmt.Sprintf("requestId %q, %q to %q, correlationId %q, time %q", r.RequestID, r.FromState, r.ToState, r.CorrelationID, stampText(r)), e.Seq, first.witness())
		case r.FromState != state && changes > 0:
			return harness.Failed(fmt.Sprintf("a record of each change of state (case %s)", label(h, id)), fmt.Sprintf("one to %q, then one from %q", state, r.FromState), e.Seq, first.witness())
		}
		state = r.ToState
		changes++
	}
	if changes == 0 || state != stateSucceeded {
		return harness.Failed("records of the changes up to "+stateSucceeded+" (case "+label(h, id)+")", fmt.Sprintf("%d, the last one to %q", changes, state), first.witness())
	}
	return harness.Passed("they follow upon each other")
}

func stampText(r *harness.LogRecord) string {
	if r.Time.IsZero() {
		return ""
	}
	return r.Time.String()
}
