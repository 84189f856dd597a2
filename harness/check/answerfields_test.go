package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestAnswerFields(t *testing.T) {
	asked := harness.Request{Keys: []string{"k"}, CorrelationID: "corr-1", Attempt: 1}
	again := harness.Request{Keys: []string{"k"}, CorrelationID: "corr-1", Attempt: 2}
	full := func(change func(*harness.Answer)) harness.Answer {
		a := harness.Answer{Status: 201, RequestID: "r1", OrderID: "o1", State: "SUCCEEDED", AttemptCount: count(3), CorrelationID: "corr-1"}
		change(&a)
		return a
	}
	as := func(change func(*harness.Answer)) *story { return newStory().send("a", asked, full(change)) }
	pending := full(func(a *harness.Answer) { a.Status, a.OrderID, a.State = 202, "", "PENDING" })
	judgeAll(t, AnswerFields(All(), harness.ClassSuccess),
		judged{"all", as(func(*harness.Answer) {}), harness.Pass},
		judged{"a pending one without an order", as(func(*harness.Answer) {}).send("b", asked, pending), harness.Pass},
		judged{"no request", as(func(a *harness.Answer) { a.RequestID = "" }), harness.Fail},
		judged{"no order", as(func(a *harness.Answer) { a.OrderID = "" }), harness.Fail},
		judged{"no state", as(func(a *harness.Answer) { a.State = "" }), harness.Fail},
		judged{"no count", as(func(a *harness.Answer) { a.AttemptCount = nil }), harness.Fail},
		judged{"no correlation id", as(func(a *harness.Answer) { a.CorrelationID = "" }), harness.Fail},
		judged{"another's correlation id", as(func(a *harness.Answer) { a.CorrelationID = "corr-2" }), harness.Fail},
		judged{"only repeated ones", newStory().send("a", again, full(func(*harness.Answer) {})), harness.Inconclusive},
		judged{"only refused ones", newStory().send("a", asked, invalid), harness.Inconclusive},
	)
	judgeAll(t, AnswerFields(All(), harness.ClassPending),
		judged{"a pending one", newStory().send("b", asked, pending), harness.Pass},
		judged{"only a success", as(func(*harness.Answer) {}), harness.Inconclusive},
	)
}

func TestErrorBodies(t *testing.T) {
	const whole = `{"code":"VALIDATION_ERROR","message":"no","correlationId":"c","retryable":false}`
	with := func(status int, body string) harness.Answer {
		return harness.Answer{Status: status, Body: body, Header: map[string][]string{"Content-Type": {"application/json"}}}
	}
	plain := with(400, whole)
	plain.Header = map[string][]string{"Content-Type": {"text/plain"}}
	judgeAll(t, ErrorBodies(All(), 2),
		judged{"two that are whole", newStory().send("a", keyK, with(400, whole)).send("b", keyK, with(409, whole)), harness.Pass},
		judged{"a page", newStory().send("a", keyK, with(404, "<html>")).send("b", keyK, with(409, whole)), harness.Fail},
		judged{"retryable as a text", newStory().send("a", keyK, with(400, `{"code":"X","message":"m","correlationId":"c","retryable":"no"}`)), harness.Fail},
		judged{"no message", newStory().send("a", keyK, with(400, `{"code":"X","correlationId":"c","retryable":false}`)), harness.Fail},
		judged{"another content type", newStory().send("a", keyK, plain).send("b", keyK, with(409, whole)), harness.Fail},
		judged{"one status only", newStory().send("a", keyK, with(400, whole)), harness.Inconclusive},
		judged{"no error", newStory().send("a", keyK, created), harness.Inconclusive},
	)
}
