package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// failedStatus is what is told of a checkout that was declined.
func failedStatus() harness.Answer {
	return harness.Answer{Status: 200, RequestID: "r1", State: "FAILED_FINAL", Code: "PAYMENT_DECLINED", UpdatedAt: "2026-01-02T03:04:05Z", AttemptCount: count(2)}
}

func TestStatusFields(t *testing.T) {
	both := func(succeeded, failed harness.Answer) *story {
		return newStory().send("a", keyK, created).send("a", statusRead, succeeded).send("b", keyK, declined).send("b", statusRead, failed)
	}
	with := func(a harness.Answer, change func(*harness.Answer)) harness.Answer { change(&a); return a }
	judgeAll(t, StatusFields(All()),
		judged{"all six", both(described(), failedStatus()), harness.Pass},
		judged{"no updatedAt", both(with(described(), func(a *harness.Answer) { a.UpdatedAt = "" }), failedStatus()), harness.Fail},
		judged{"a time of another form", both(with(described(), func(a *harness.Answer) { a.UpdatedAt = "1767323045" }), failedStatus()), harness.Fail},
		judged{"the zero time", both(with(described(), func(a *harness.Answer) { a.UpdatedAt = "0001-01-01T00:00:00Z" }), failedStatus()), harness.Fail},
		judged{"no order of a success", both(with(described(), func(a *harness.Answer) { a.OrderID = "" }), failedStatus()), harness.Fail},
		judged{"no count", both(with(described(), func(a *harness.Answer) { a.AttemptCount = nil }), failedStatus()), harness.Fail},
		judged{"no state", both(with(described(), func(a *harness.Answer) { a.State = "" }), failedStatus()), harness.Fail},
		judged{"no request", both(with(described(), func(a *harness.Answer) { a.RequestID = "" }), failedStatus()), harness.Fail},
		judged{"no code of a failure", both(described(), with(failedStatus(), func(a *harness.Answer) { a.Code = "" })), harness.Fail},
		judged{"only successes", newStory().send("a", keyK, created).send("a", statusRead, described()), harness.Inconclusive},
		judged{"the route finds nothing", both(notFound, notFound), harness.Inconclusive},
	)
}

func TestStatusAgrees(t *testing.T) {
	unavailable := harness.Answer{Status: 503, Code: "SERVICE_UNAVAILABLE", RequestID: "r1"}
	waiting := harness.Answer{Status: 200, RequestID: "r1", State: "FAILED_RETRYABLE", Code: "SERVICE_UNAVAILABLE"}
	success := harness.Answer{Status: 201, RequestID: "r1", OrderID: "order-1", State: "SUCCEEDED", AttemptCount: count(3)}
	changing := func(after harness.Answer) *story {
		return newStory().send("a", keyK, unavailable).send("a", statusRead, waiting).send("a", keyK, success).send("a", statusRead, after)
	}
	other := func(change func(*harness.Answer)) harness.Answer { a := described(); change(&a); return a }
	judgeAll(t, StatusAgrees(All()),
		judged{"agrees before and after", changing(described()), harness.Pass},
		judged{"is that of before", changing(waiting), harness.Fail},
		judged{"another order", changing(other(func(a *harness.Answer) { a.OrderID = "order-2" })), harness.Fail},
		judged{"another count", changing(other(func(a *harness.Answer) { a.AttemptCount = count(9) })), harness.Fail},
		judged{"another code of a failure", newStory().send("a", keyK, unavailable).send("a", statusRead, harness.Answer{Status: 200, RequestID: "r1", Code: "PAYMENT_DECLINED"}), harness.Fail},
		judged{"nothing changed", newStory().send("a", keyK, success).send("a", statusRead, described()), harness.Inconclusive},
		judged{"nobody read", newStory().send("a", keyK, success), harness.Inconclusive},
	)
}
