package known

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// suggestedDays is how long a suggested entry lasts: long enough to mend most
// things, short enough to be asked again.
const suggestedDays = 30

// Suggest returns one entry for each failure of a run that is not known, in order
// of appearance, as lines of a list. [Parse] refuses them until their blanks are
// filled in.
func Suggest(e harness.Evidence, now time.Time) []string {
	var lines []string
	expires := now.AddDate(0, 0, suggestedDays).UTC().Format(time.DateOnly)
	seen := map[string]bool{}
	add := func(key, id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		lines = append(lines, fmt.Sprintf(`- {%s: %q, reason: "<why it is accepted for now>", link: "<https://...>", owner: "<who answers for it>", expires: %s}`, key, id, expires))
	}
	failing := func(checks []harness.CheckResult) (found bool) {
		for _, c := range checks {
			if c.Verdict == harness.Fail && c.Known == nil {
				add("check", harness.CheckID(c.Name, c.Scenario))
			}
			found = found || c.Verdict == harness.Fail
		}
		return found
	}
	for _, c := range e.Clauses {
		if !failing(c.Checks) && c.Verdict == harness.Fail && c.Known == nil {
			add("clause", string(c.ID))
		}
	}
	for _, i := range e.Invariants {
		failing(i.Checks)
	}
	return lines
}
