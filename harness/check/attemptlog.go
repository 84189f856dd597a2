package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// logged returns the log records of each case, in order of writing.
func logged(h *harness.History) map[string][]harness.Event {
	by := map[string][]harness.Event{}
	for e := range h.Events() {
		if e.Type == harness.LogEvent {
			by[e.Case] = append(by[e.Case], e)
		}
	}
	return by
}

// unread says why the log decides nothing, or "".
func unread(h *harness.History) string {
	var lines int64
	read := false
	for e := range h.Events() {
		if e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkLogs {
			read = true
			lines += e.Mark.Count["lines"]
		}
	}
	switch {
	case !read:
		return "the target's log was not read"
	case lines == 0:
		return "the target's log held no line; see whether observe.logs.file is the file that it writes"
	}
	return ""
}

// AttemptsLogged judges that the log holds a record of each attempt of a call: in
// it the dependency, the number of the attempt, its outcome and the call's
// correlation id.
func AttemptsLogged(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if why := unread(h); why != "" {
			return harness.Undecided(why)
		}
		by := logged(h)
		return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
			last := c.last()
			id, sent := last.request().CorrelationID, c.during(last)
			if len(sent) == 0 {
				return c.undecided("no request reached the dependency: " + came(last))
			}
			var numbers []int
			var witness []int64
			outcomes := map[string]bool{}
			for _, e := range by[last.Invoke.Case] {
				r := e.Log
				if r.IsSpan() || r.Attempt == 0 || r.CorrelationID != id {
					continue
				}
				witness = append(witness, e.Seq)
				if r.Dependency == "" || r.Outcome == "" {
					return harness.Failed("dependency, attempt, outcome and correlationId in each record of an attempt (case "+c.label+")", "dependency "+inQuotes(r.Dependency)+", outcome "+inQuotes(r.Outcome), e.Seq)
				}
				numbers = append(numbers, r.Attempt)
				outcomes[r.Outcome] = true
			}
			slices.Sort(numbers)
			if wanted := upTo(len(sent)); !slices.Equal(numbers, wanted) {
				return c.failCall(last, fmt.Sprintf("a log record of each attempt, %v", wanted), fmt.Sprintf("records of the attempts %v", numbers))
			}
			if differ := ends(sent); differ > 1 && len(outcomes) == 1 {
				return c.failCall(last, "the outcome of each attempt in its record", fmt.Sprintf("the same one, %v, for attempts that ended in %d ways", outcomes, differ))
			}
			return harness.Passed(fmt.Sprintf("%d attempts, each with its record", len(sent)), append(witness, c.witnesses()...)...)
		})(h)
	}
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

func inQuotes(s string) string { return fmt.Sprintf("%q", s) }

// ends counts the ways in which requests ended: with a failure, with a success.
func ends(sent []harness.Event) int {
	ways := map[bool]bool{}
	for _, e := range sent {
		ways[e.Call.Status > 0 && e.Call.Status < 300] = true
	}
	return len(ways)
}
