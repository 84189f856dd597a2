package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// SameRequest judges that all attempts of each case ask for the same: method,
// path with query, and header lines, whatever their order. Of a call through a
// shim it is also known what was asked for: its path, and the given lines, which
// have to arrive as often as they were given.
func SameRequest(pick Pick, lines ...[2]string) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		if v := c.alone(); v.Reason != "" {
			return v
		}
		first := c.sent[0].Call
		asked := c.calls[0].request()
		if hosts := valuesIn(first.Lines, "Host"); len(hosts) != 1 || hosts[0] == "" {
			return c.fail("one Host line", fmt.Sprintf("%q", hosts))
		}
		if asked.Operation == harness.OpCall {
			if first.Method != asked.Method || first.Path != asked.Path {
				return c.fail(fmt.Sprintf("a request %s %s", asked.Method, asked.Path), first.Method+" "+first.Path)
			}
			for _, name := range names(lines) {
				if given, got := listed(lines, name), listed(first.Lines, name); given != got {
					return c.fail(fmt.Sprintf("header %s: %q, as the caller gave it", name, given), fmt.Sprintf("%q", got))
				}
			}
		}
		for i, e := range c.sent[1:] {
			if different := changed(h, *first, *e.Call); different != "" {
				return c.fail(fmt.Sprintf("attempt %d to be the same as the first", i+2), different)
			}
		}
		return harness.Passed(fmt.Sprintf("%d attempts with the same method, path and %d header lines", len(c.sent), len(first.Lines)), c.witnesses()...)
	})
}

// changed says in what one attempt differs from the first, or "".
func changed(h *harness.History, first, other harness.Call) string {
	if first.Method != other.Method || first.Path != other.Path {
		return fmt.Sprintf("%s %s, then %s %s", first.Method, first.Path, other.Method, other.Path)
	}
	for _, name := range names(slices.Concat(first.Lines, other.Lines)) {
		if mayDiffer(h, name) {
			continue
		}
		if was, is := valuesIn(first.Lines, name), valuesIn(other.Lines, name); !slices.Equal(was, is) {
			return fmt.Sprintf("header %s: %q, then %q", name, was, is)
		}
	}
	return ""
}

// mayDiffer names the headers that tell something of the attempt and not of the
// request: what the client declares, the spans of a trace, and what is between
// the two ends of a connection only.
func mayDiffer(h *harness.History, name string) bool {
	switch strings.ToLower(name) {
	case "traceparent", "tracestate", "b3", "x-b3-spanid", "x-b3-parentspanid", "connection", "keep-alive",
		"x-datadog-parent-id", "sentry-trace", "x-amzn-trace-id", "x-cloud-trace-context", "uber-trace-id", "newrelic":
		return true
	}
	c := h.Header.Client
	return c != nil && (strings.EqualFold(name, c.AttemptHeader) || strings.EqualFold(name, c.BudgetHeader))
}
