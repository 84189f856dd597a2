package check

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// BudgetPropagated judges that each attempt tells its dependency what is left of
// the call's time, where the client declares the header in which it does.
func BudgetPropagated(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		if h.Header.Client == nil || h.Header.Client.BudgetHeader == "" {
			return harness.Inapplicable("the client declares no header that tells its peer how much time is left")
		}
		name := h.Header.Client.BudgetHeader
		if len(c.sent) < 2 {
			return harness.Undecided("a stale value shows in the second attempt only, and case "+c.label+" has none", c.witnesses()...)
		}
		for i, e := range c.sent {
			value := ""
			for _, line := range e.Call.Lines {
				if strings.EqualFold(line[0], name) {
					value = strings.TrimSpace(line[1])
				}
			}
			left := h.Header.Policy.Client.Total.Std() - (e.Call.Started - c.calls[0].Invoke.At)
			wanted := fmt.Sprintf("%s: about %d in attempt %d", name, left.Milliseconds(), i+1)
			ms, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return c.fail(wanted, fmt.Sprintf("%q", value))
			}
			if off := time.Duration(ms)*time.Millisecond - left; off.Abs() > harness.TimeTolerance {
				return c.fail(wanted, value)
			}
		}
		return harness.Passed(fmt.Sprintf("%d attempts told what was left", len(c.sent)), c.witnesses()...)
	})
}
