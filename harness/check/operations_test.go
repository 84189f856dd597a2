package check

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func of(operation string) harness.Request {
	return harness.Request{Operation: operation, Keys: []string{"k"}, BodySHA256: "b1"}
}

func TestOperationsIndependent(t *testing.T) {
	other := harness.Answer{Status: 201, RequestID: "r2", OrderID: "o2", BodySHA256: "second"}
	both := func(second harness.Answer) *story {
		return newStory().send("a", keyK, created).send("a", of("cancel"), second)
	}
	judgeAll(t, OperationsIndependent(All()),
		judged{"each with its own, again and again", both(other).send("a", keyK, created).send("a", of("cancel"), other), harness.Pass},
		judged{"the second is a conflict", both(conflict), harness.Fail},
		judged{"the second gets the first one's answer", both(created), harness.Fail},
		judged{"the second gets the first one's request", both(harness.Answer{Status: 201, RequestID: "r1"}), harness.Fail},
		judged{"a repeat of the second brings another one", both(other).send("a", keyK, created).send("a", of("cancel"), harness.Answer{Status: 201, RequestID: "r3"}), harness.Fail},
		judged{"nothing was repeated", both(other), harness.Inconclusive},
		judged{"one operation only", newStory().send("a", keyK, created).send("a", keyK, created), harness.Inconclusive},
	)
}

func TestWithRefreshed(t *testing.T) {
	refreshed := harness.Request{Keys: []string{"k"}, BodySHA256: "b1", Refreshed: true}
	crowd := newStory()
	for c := 'a'; c <= 'z'; c++ {
		crowd.send(string(c), keyK, created).send(string(c), keyK, created)
	}
	judgeAll(t, WithRefreshed(All(), SameOutcomeReplayed(All(), 1)),
		judged{"a replay", newStory().send("a", keyK, created).send("a", refreshed, created), harness.Pass},
		judged{"another order", newStory().send("a", keyK, created).send("a", refreshed, harness.Answer{Status: 201, OrderID: "o2"}), harness.Fail},
		judged{"the usual token only", newStory().send("a", keyK, created).send("a", keyK, created), harness.Inconclusive},
		judged{"a token that nobody takes", newStory().send("a", keyK, created).send("a", refreshed, harness.Answer{Status: 401}), harness.Inconclusive},
		judged{"the usual token only, in many cases", crowd, harness.Inconclusive},
	)
	for range 10 { // the order of a map is another one each time
		if v := WithRefreshed(All(), SameOutcomeReplayed(All(), 1))(crowd.history()); !strings.Contains(v.Reason, "case a ") {
			t.Fatalf("the first case is the one to name: %s", v.Reason)
		}
	}
}
