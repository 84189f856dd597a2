package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestReconciledReplay(t *testing.T) {
	read := func(state, order string) harness.Answer {
		return harness.Answer{Status: 200, RequestID: "r1", State: state, OrderID: order}
	}
	found := func() *story {
		return newStory().send("a", keyK, accepted202).send("a", statusRead, read("PENDING", "")).send("a", statusRead, read("SUCCEEDED", "order-1"))
	}
	replay := func(change func(*harness.Answer)) harness.Answer {
		n := 3
		a := harness.Answer{Status: 201, RequestID: "r1", OrderID: "order-1", State: "SUCCEEDED", AttemptCount: &n, CorrelationID: "first"}
		change(&a)
		return a
	}
	whole, orderless := replay(func(*harness.Answer) {}), replay(func(a *harness.Answer) { a.OrderID = "" })
	for name, judge := range map[string]func(*harness.History) harness.Verdict{
		"order": ReconciledReplayNamesOrder(All()), "fields": ReconciledReplayFields(All()),
	} {
		judgeAll(t, judge,
			judged{name + ": all told", found().send("a", keyK, whole), harness.Pass},
			judged{name + ": no order", found().send("a", keyK, orderless), harness.Fail},
			judged{name + ": not repeated", found(), harness.Inconclusive},
			judged{name + ": still pending", found().send("a", keyK, accepted202), harness.Inconclusive},
			judged{name + ": never read as succeeded", newStory().send("a", keyK, accepted202).send("a", keyK, whole), harness.Inconclusive},
			judged{name + ": answered at once", newStory().send("a", keyK, created).send("a", statusRead, read("SUCCEEDED", "order-1")).send("a", keyK, orderless), harness.NotApplicable},
			judged{name + ": nothing", newStory(), harness.Inconclusive},
		)
	}
	judgeAll(t, ReconciledReplayNamesOrder(All()),
		judged{"another order", found().send("a", keyK, replay(func(a *harness.Answer) { a.OrderID = "order-2" })), harness.Fail},
		judged{"orders are named nowhere", newStory().send("a", keyK, accepted202).send("a", statusRead, read("SUCCEEDED", "")).send("a", keyK, orderless), harness.NotVerified},
	)
	judgeAll(t, ReconciledReplayFields(All()),
		judged{"no count", found().send("a", keyK, replay(func(a *harness.Answer) { a.AttemptCount = nil })), harness.Fail},
		judged{"no state", found().send("a", keyK, replay(func(a *harness.Answer) { a.State = "" })), harness.Fail},
	)
}
