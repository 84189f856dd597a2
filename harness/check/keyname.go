package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// RequiredKeyHeader is the header of the requirements.
const RequiredKeyHeader = "Idempotency-Key"

// HeaderSpelling compares with "Idempotency-Key", whose case does not matter.
func HeaderSpelling(d harness.Dialect) string {
	if !strings.EqualFold(d.Header, RequiredKeyHeader) {
		return fmt.Sprintf("header %q where the clause says %q", d.Header, RequiredKeyHeader)
	}
	return ""
}

// AnySpelling judges that one key is the same key however the header's name is
// spelt: in each case the first request succeeds, and those under at least as many
// spellings get its answer.
func AnySpelling(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := KeyProtects(pick, least-1)(h)
		if v.Outcome != harness.Pass {
			return v
		}
		spelt := map[string]map[string]bool{}
		for _, a := range keyed(attempts(h, pick)) {
			name := a.request().KeyName
			if name == "" {
				name = h.Header.Dialect.Header
			}
			if spelt[a.Invoke.Case] == nil {
				spelt[a.Invoke.Case] = map[string]bool{}
			}
			if a.answered() {
				spelt[a.Invoke.Case][name] = true
			}
		}
		for _, id := range slices.Sorted(maps.Keys(spelt)) {
			if names := spelt[id]; len(names) < least {
				return harness.Undecided(fmt.Sprintf("%s of the header's name in case %s, wanted %d", several(len(names), "spelling"), label(h, id), least))
			}
		}
		return v
	}
}
