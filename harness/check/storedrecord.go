package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// scopeParts are what makes two uses of a key the same use.
func scopeParts() []string { return []string{"tenant", "principal", "operation", "version", "key"} }

// RecordsComplete judges the stored records of checkouts that ended: the five parts
// of the scope, under one unique constraint that covers them and nothing else; a
// fingerprint; the state, answer and attempts that the caller and the wire saw; an
// expiry no earlier than the retention after the end. One that succeeded and one
// that did not have to be among them.
func RecordsComplete(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		posts := keyed(attempts(h, pick))
		carried := effectCalls(h, pick)
		seen := map[bool]int{}
		for e := range h.Events() {
			if e.Type != harness.RecordEvent || !pick.accepts(h, e.Case) {
				continue
			}
			i := slices.IndexFunc(posts, func(a attempt) bool {
				return a.answered() && a.Done.Answer.RequestID == e.Record.RequestID && a.class(h).Terminal()
			})
			if i < 0 {
				return harness.Undecided("the record of a request was read that nobody was answered for: "+e.Record.RequestID, e.Seq)
			}
			if missing := recordProblem(h, *e.Record, posts[i], carried[e.Case]); missing != "" {
				return harness.Failed("a record with scope, fingerprint, state, answer, attempts and expiry", missing, posts[i].witness(), e.Seq)
			}
			seen[posts[i].class(h) == harness.ClassSuccess]++
		}
		if seen[true] == 0 || seen[false] == 0 {
			return harness.Undecided(fmt.Sprintf("%d records of checkouts that succeeded and %d of others were read, wanted some of both", seen[true], seen[false]))
		}
		return harness.Passed(fmt.Sprintf("%d records are complete", seen[true]+seen[false]))
	}
}

// effectCalls counts, by case, the calls for the effects of a plain success. What
// else is called, to ask or to undo, some do not count as attempts.
func effectCalls(h *harness.History, pick Pick) map[string]int {
	counted := map[[2]string]bool{}
	for _, l := range h.Header.Links {
		for _, o := range l.Operations {
			counted[[2]string{l.Name, o.Name}] = h.Header.PerSuccess[o.Effect] > 0
		}
	}
	n := map[string]int{}
	for _, c := range calls(h, pick) {
		if counted[[2]string{c.Call.Link, c.Call.Operation}] {
			n[c.Case]++
		}
	}
	return n
}

// recordProblem says what is wrong with a record, given how its request was
// answered and how many calls for its effects the wire carried.
func recordProblem(h *harness.History, r harness.StoredRecord, a attempt, calls int) string {
	for i, part := range []string{r.Tenant, r.Principal, r.Operation, r.Version, r.Key} {
		if part == "" {
			return "no " + scopeParts()[i]
		}
	}
	unique := slices.Sorted(slices.Values(r.Unique))
	if wanted := slices.Sorted(slices.Values(scopeParts())); !slices.Equal(unique, wanted) {
		return fmt.Sprintf("a unique constraint over [%s] in place of the five parts of the scope", strings.Join(r.Unique, " "))
	}
	answer := a.Done.Answer
	switch {
	case r.Fingerprint == "":
		return "no fingerprint"
	case r.State == "":
		return "no state"
	case answer.State != "" && r.State != answer.State:
		return fmt.Sprintf("state %s where the answer says %s", r.State, answer.State)
	case r.Status == 0 && r.Response == "":
		return "neither the status nor the body of the answer"
	case r.Status != 0 && r.Status != answer.Status:
		return fmt.Sprintf("status %d where %d was answered", r.Status, answer.Status)
	case r.Response != "" && r.Response != answer.Body:
		return "another body than was answered"
	case len(r.Attempts) == 0:
		return "no attempts"
	case len(r.Attempts) < calls:
		return fmt.Sprintf("%d attempts where the wire carried %d calls for its effects", len(r.Attempts), calls)
	}
	return expiryProblem(h, r)
}

func expiryProblem(h *harness.History, r harness.StoredRecord) string {
	retention := h.Header.Policy.Checkout.Retention.Std()
	if h.Header.Requirements != "own" {
		retention = max(retention, harness.RequiredPolicy().Checkout.Retention.Std())
	}
	switch {
	case r.TerminalAt.IsZero():
		return "no time at which it ended"
	case r.ExpiresAt.IsZero():
		return "no expiry"
	case r.ExpiresAt.Before(r.TerminalAt.Add(retention - time.Second)): // times are stored in whole seconds by some
		return fmt.Sprintf("an expiry %s after its end, wanted %s", r.ExpiresAt.Sub(r.TerminalAt).Round(time.Second), retention)
	}
	return ""
}
