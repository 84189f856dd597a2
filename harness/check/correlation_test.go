package check

import (
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// none is an answer of a gateway without a correlation id.
func none(a harness.Answer) harness.Answer { return withHeader(a, harness.CorrelationHeader, "") }

func TestCorrelationKept(t *testing.T) {
	wrongInError := down503
	wrongInError.CorrelationID = "corr-made-up"
	judgeAll(t, CorrelationKept(All()),
		judged{"in all places", throughGateway().ask("a@gateway", alice, seedAnswer, fails, gives).story, harness.Pass},
		judged{"in the error, too", throughGateway().ask("a@gateway", alice, down503, fails, fails).story, harness.Pass},
		judged{"a new one for each attempt", throughGateway().ask("a@gateway", alice, seedAnswer, fails, meets{status: 200, id: "corr-2"}).story, harness.Fail},
		judged{"lost in the answer", throughGateway().ask("a@gateway", alice, none(seedAnswer), gives).story, harness.Fail},
		judged{"another one in the error", throughGateway().ask("a@gateway", alice, wrongInError, fails).story, harness.Fail},
		judged{"no request", throughGateway().ask("a@gateway", alice, down503).story, harness.Inconclusive},
		judged{"behind a shim an error has to tell it", called(1, time.Second, unavailable), harness.Inconclusive},
	)
}

func TestCorrelationMade(t *testing.T) {
	blank := func(g *through, c string, a harness.Answer, met ...meets) *through {
		g.ask(c, alice, a, met...)
		for i := range g.events { // the caller brought none
			if e := &g.events[i]; e.Case == "t/s/"+c && e.Request != nil {
				plain := *e.Request
				plain.CorrelationID = ""
				e.Request = &plain
			}
		}
		return g
	}
	made := withHeader(seedAnswer, harness.CorrelationHeader, "made")
	id := func(status int, id string) meets { return meets{status: status, id: id} }
	judgeAll(t, CorrelationMade(All()),
		judged{"once", blank(throughGateway(), "a@gateway", made, id(503, "made"), id(200, "made")).story, harness.Pass},
		judged{"one for each attempt", blank(throughGateway(), "a@gateway", made, id(503, "other"), id(200, "made")).story, harness.Fail},
		judged{"another in the answer", blank(throughGateway(), "a@gateway", seedAnswer, id(200, "made")).story, harness.Fail},
		judged{"the same for two calls", blank(blank(throughGateway(), "a@gateway", made, id(200, "made")), "b@gateway", made, id(200, "made")).story, harness.Fail},
		judged{"the caller brought one", throughGateway().ask("a@gateway", alice, seedAnswer, gives).story, harness.Inconclusive},
		judged{"no request", blank(throughGateway(), "a@gateway", down503).story, harness.Inconclusive},
	)
	empty := blank(throughGateway(), "a@gateway", made, id(200, "gone"))
	for _, e := range empty.events {
		if e.Call != nil {
			e.Call.CorrelationID = ""
		}
	}
	judgeAll(t, CorrelationMade(All()), judged{"empty", empty.story, harness.Fail})
}

func TestCorrelationGuarded(t *testing.T) {
	plain := func() *through { return throughGateway().ask("plain@gateway", alice, seedAnswer, gives) }
	hostile := harness.Request{CorrelationID: "corr\r\n" + InjectedHeader + ": yes"}
	sent := func(g *through, lines ...[2]string) *story {
		g.ask("bad@gateway", hostile, seedAnswer, gives)
		for _, e := range g.events {
			if e.Call != nil && e.Case == "t/s/bad@gateway" {
				e.Call.Lines = lines
			}
		}
		return g.story
	}
	judge := CorrelationGuarded(Labelled("bad@"), Labelled("plain@"))
	judgeAll(t, judge,
		judged{"replaced", sent(plain(), [2]string{"x-correlation-id", "made-up"}), harness.Pass},
		judged{"refused", plain().ask("bad@gateway", hostile, harness.Answer{Status: 400, Code: "VALIDATION_ERROR"}).story, harness.Pass},
		judged{"a line was added", sent(plain(), [2]string{"X-Correlation-ID", "corr"}, [2]string{InjectedHeader, "yes"}), harness.Fail},
		judged{"8 kB passed on", sent(plain(), [2]string{"X-Correlation-ID", strings.Repeat("x", 8<<10)}), harness.Fail},
		judged{"not ASCII", sent(plain(), [2]string{"X-Correlation-ID", "ключ"}), harness.Fail},
		judged{"a client that never calls", throughGateway().ask("plain@gateway", alice, down503).ask("bad@gateway", hostile, down503).story, harness.Inconclusive},
		judged{"a success from nowhere", plain().ask("bad@gateway", hostile, seedAnswer).story, harness.Inconclusive},
	)
}
