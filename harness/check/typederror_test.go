package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestTimedOut(t *testing.T) {
	posted := func(took time.Duration, a harness.Answer) *story {
		s := called(1, took, a)
		for _, e := range s.events {
			if e.Request != nil {
				e.Request.Method = "POST"
			}
		}
		return s
	}
	judgeAll(t, TimedOut(All()),
		judged{"504 at the deadline", called(2, 10*time.Second, timedOut), harness.Pass},
		judged{"503 at the deadline", called(2, 10*time.Second, unavailable), harness.Fail},
		judged{"503 before it, although attempts are left", called(2, 6*time.Second, unavailable), harness.Fail},
		judged{"408", called(2, 10*time.Second, harness.Answer{Outcome: harness.OutcomeError, Status: 408, Code: CodeTimeout}), harness.Fail},
		judged{"500", called(2, 10*time.Second, harness.Answer{Outcome: harness.OutcomeError, Status: 500, Code: "INTERNAL"}), harness.Fail},
		judged{"a post that may be sent once", posted(5*time.Second, timedOut), harness.Pass},
		judged{"a post, and 503 where that is another's reading", posted(5*time.Second, unavailable), harness.Pass},
		judged{"a post that lasts to the deadline", posted(10*time.Second, unavailable), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestErrorObject(t *testing.T) {
	body := func(text string) harness.Answer {
		return withHeader(harness.Answer{Status: 503, Code: CodeUnavailable, Body: text}, "Content-Type", "application/json; charset=utf-8")
	}
	const good = `{"code":"DEPENDENCY_UNAVAILABLE","message":"m","correlationId":"c","retryable":true,"traceId":"t"}`
	gateway := func(a harness.Answer) *story { return throughGateway().ask("a@gateway", alice, a, fails).story }
	noType := body(good)
	noType.Header = map[string][]string{"Content-Type": {"text/plain"}}
	behindShim := unavailable
	behindShim.Body = good
	judgeAll(t, ErrorObject(All()),
		judged{"all members, and one more", gateway(body(good)), harness.Pass},
		judged{"behind a shim there is no content type", called(1, time.Second, behindShim), harness.Pass},
		judged{"retryable as a string", gateway(body(`{"code":"X","message":"m","correlationId":"c","retryable":"true"}`)), harness.Fail},
		judged{"no correlation id", gateway(body(`{"code":"X","message":"m","retryable":true}`)), harness.Fail},
		judged{"an empty one", gateway(body(`{"code":"X","message":"m","correlationId":"","retryable":true}`)), harness.Fail},
		judged{"a code that is a number", gateway(body(`{"code":503,"message":"m","correlationId":"c","retryable":true}`)), harness.Fail},
		judged{"no object", gateway(body(`"unavailable"`)), harness.Fail},
		judged{"another content type", gateway(noType), harness.Fail},
		judged{"no error came back", gateway(seedAnswer), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestUnrepeated(t *testing.T) {
	leaks := unavailable
	leaks.Message = "upstream said: secret words"
	judgeAll(t, Unrepeated(All(), "other", "secret words"),
		judged{"in its own words", called(3, time.Second, unavailable), harness.Pass},
		judged{"the dependency's words", called(3, time.Second, leaks), harness.Fail},
		judged{"nothing was sent", called(0, time.Second, unavailable), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}
