package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestUndoneState(t *testing.T) {
	undo := harness.Request{Operation: "cancel", Keys: []string{"c"}, BodySHA256: "b3"}
	success := harness.Answer{Status: 201, RequestID: "r1", OrderID: "order-1", State: "SUCCEEDED"}
	shows := func(state, order string) harness.Answer {
		return harness.Answer{Status: 200, RequestID: "r1", OrderID: order, State: state}
	}
	until := func() *story {
		return newStory().send("a", keyK, success).send("a", statusRead, shows("SUCCEEDED", "order-1")).send("a", undo, harness.Answer{Status: 201, RequestID: "r2"})
	}
	then := func(state, order string) *story {
		return until().send("a", keyK, success).send("a", statusRead, shows(state, order))
	}
	neverRead := newStory().send("a", keyK, success).send("a", undo, harness.Answer{Status: 201, RequestID: "r2"}).send("a", keyK, success)
	own := newStory().send("a", keyK, success).send("a", statusRead, shows("completed", "order-1")).send("a", undo, harness.Answer{Status: 201, RequestID: "r2"}).
		send("a", keyK, success).send("a", statusRead, shows("canceled", "order-1"))
	refused := newStory().send("a", keyK, success).send("a", statusRead, shows("SUCCEEDED", "order-1")).send("a", undo, conflict).
		send("a", keyK, success).send("a", statusRead, shows("SUCCEEDED", "order-1"))

	for name, judge := range map[string]func(*harness.History) harness.Verdict{
		"named": UndoneStateNamed(All()), "kept": UndoneStateKept(All()), "agrees": UndoneStateAgrees(All()),
	} {
		judgeAll(t, judge,
			judged{name + ": as before", then("SUCCEEDED", "order-1"), harness.Pass},
			judged{name + ": a state of no name", then("CANCELLED", "order-1"), harness.Fail},
			judged{name + ": not read before", neverRead, harness.Inconclusive},
			judged{name + ": not read after", until().send("a", keyK, success), harness.Inconclusive},
			judged{name + ": not repeated", until().send("a", statusRead, shows("CANCELLED", "order-1")), harness.Inconclusive},
			judged{name + ": not undone", refused, harness.Inconclusive},
			judged{name + ": nothing", newStory(), harness.Inconclusive},
		)
	}
	judgeAll(t, UndoneStateNamed(All()), judged{"named, although it changed", then("FAILED_FINAL", "order-1"), harness.Pass})
	judgeAll(t, UndoneStateKept(All()),
		judged{"failed since", then("FAILED_FINAL", "order-1"), harness.Fail},
		judged{"names of its own", own, harness.NotVerified},
	)
	judgeAll(t, UndoneStateAgrees(All()),
		judged{"failed since", then("FAILED_FINAL", "order-1"), harness.Fail},
		judged{"without its order", then("SUCCEEDED", ""), harness.Fail},
	)
}
