package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// recordTolerance is how far a stored time may be from what the provider's journal
// shows: two processes, two clocks.
const recordTolerance = time.Second

// RecordMatchesJournal judges that the store holds of each attempt which
// dependency it called, under which correlation id, and from when to when, as the
// provider's journal shows it.
func RecordMatchesJournal(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		made, attempts, judged := callsByCase(h, pick), 0, 0
		for e := range h.Events() {
			if e.Type != harness.RecordEvent || !pick.accepts(h, e.Case) {
				continue
			}
			if v := recordMatches(h, e, made[e.Case]); v.Outcome != harness.Pass {
				return v
			}
			attempts += len(e.Record.Attempts)
			judged++
		}
		if judged == 0 || attempts == 0 {
			return harness.Undecided("no stored record with an attempt was read")
		}
		return harness.Passed(fmt.Sprintf("%d stored attempts of %d checkouts are what the provider's journal shows", attempts, judged))
	}
}

func recordMatches(h *harness.History, record harness.Event, made []harness.Event) harness.Verdict {
	name := label(h, record.Case)
	stored := map[string][]harness.StoredAttempt{}
	for _, a := range record.Record.Attempts {
		stored[a.Dependency] = append(stored[a.Dependency], a)
	}
	calls := map[string][]harness.Event{}
	for _, c := range made {
		calls[c.Call.Link] = append(calls[c.Call.Link], c)
	}
	for _, link := range sortedNames(calls) {
		if n := len(stored[link]); n != len(calls[link]) {
			return harness.Failed(fmt.Sprintf("%d stored attempts at %s, as many as the provider's journal shows (case %s)", len(calls[link]), link, name), fmt.Sprint(n), append(seqsOf(calls[link]), record.Seq)...)
		}
		for i, c := range calls[link] {
			a, from, to := stored[link][i], h.Header.Started.Add(c.Call.Started), h.Header.Started.Add(c.Call.Ended)
			switch {
			case a.CorrelationID == "" || c.Call.CorrelationID != "" && a.CorrelationID != c.Call.CorrelationID:
				return harness.Failed("the call's correlation id with the stored attempt (case "+name+")", inQuotes(a.CorrelationID), c.Seq, record.Seq)
			case apart(a.Start, from) || apart(a.End, to):
				return harness.Failed(fmt.Sprintf("a stored attempt from %s to %s, give or take %s (case %s)", clock(from), clock(to), recordTolerance, name), clock(a.Start)+" to "+clock(a.End), c.Seq, record.Seq)
			}
		}
	}
	for _, link := range sortedNames(stored) {
		if len(calls[link]) == 0 {
			return harness.Failed("stored attempts at the dependencies that were called only (case "+name+")", fmt.Sprintf("%d at %q", len(stored[link]), link), record.Seq)
		}
	}
	return harness.Passed("they agree")
}

func apart(a, b time.Time) bool { return a.Sub(b).Abs() > recordTolerance }

func clock(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("15:04:05.000")
}
