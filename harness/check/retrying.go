package check

import "github.com/oncecheck/oncecheck/harness"

// Retrying judges what only further attempts can show. A client that declares
// not to retry has none, and cannot be wrong in them.
func Retrying(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if h.Header.Policy.Client.Retries == 0 && v.Outcome != harness.Fail && len(clientCases(h, All())) > 0 {
			return harness.Inapplicable("the client declares that it does not retry, so there is no further attempt to judge")
		}
		return v
	}
}
