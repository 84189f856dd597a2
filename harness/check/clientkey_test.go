package check

import (
	"fmt"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// keyedCall is a call with a key, and the keys of its attempts.
func keyedCall(operation, given string, keys ...string) *story {
	s := paced()
	r := harness.Request{Operation: operation, Method: "POST", Path: "/"}
	if given != "" {
		r.Keys = []string{given}
	}
	op := s.invoke("a@shim", r)
	s.at(sec)
	for _, key := range keys {
		s.answers("a@shim", 1, sec+2*ms, sec+2*ms, 503).lines("Host", "h")
		if key != "" {
			s.lines("idempotency-key", key)
		}
	}
	return s.returns(op, 2*sec, unavailable)
}

func TestSameKey(t *testing.T) {
	judgeAll(t, SameKey(All()),
		judged{"the same", keyedCall(harness.OpCall, "k 1", "k 1", "k 1", "k 1"), harness.Pass},
		judged{"a new one for each attempt", keyedCall(harness.OpCall, "k", "k", "l"), harness.Fail},
		judged{"another from the start", keyedCall(harness.OpCall, "k", "l", "l"), harness.Fail},
		judged{"dropped", keyedCall(harness.OpCall, "k", "k", ""), harness.Fail},
		judged{"never sent", keyedCall(harness.OpCall, "k", "", ""), harness.Fail},
		judged{"twice in one request", keyedCall(harness.OpCall, "k", "k", "k").lines("Idempotency-Key", "k"), harness.Fail},
		judged{"a gateway's own key", keyedCall(harness.OpGateway, "k", "g", "g"), harness.Pass},
		judged{"a gateway's key changes", keyedCall(harness.OpGateway, "k", "g", "h"), harness.Fail},
		judged{"a gateway drops it", keyedCall(harness.OpGateway, "k", "", ""), harness.Fail},
		judged{"one attempt", keyedCall(harness.OpCall, "k", "k"), harness.Inconclusive},
		judged{"no key was given", keyedCall(harness.OpCall, "", "", ""), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func making(s *story) *story { s.header.Client = &harness.ClientInfo{AutoKey: true}; return s }

func TestNoKeyInvented(t *testing.T) {
	judgeAll(t, NoKeyInvented(All()),
		judged{"none", keyedCall(harness.OpCall, "", "", ""), harness.Pass},
		judged{"one", keyedCall(harness.OpCall, "", "k"), harness.Fail},
		judged{"one for each attempt", keyedCall(harness.OpCall, "", "k", "l"), harness.Fail},
		judged{"one, as declared", making(keyedCall(harness.OpCall, "", "k", "k")), harness.Pass},
		judged{"one for each attempt, declared", making(keyedCall(harness.OpCall, "", "k", "l")), harness.Fail},
		judged{"only from the second attempt on", making(keyedCall(harness.OpCall, "", "", "l")), harness.Fail},
		judged{"nothing was sent", keyedCall(harness.OpCall, ""), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestFreshKeys(t *testing.T) {
	calls := func(key func(call, attempt int) string) *story {
		s := making(paced())
		for i := range 3 {
			c := fmt.Sprintf("made-%d@shim", i)
			op := s.asks(c, sec)
			for n := range 2 {
				s.answers(c, 1, sec, sec, 503).lines("Idempotency-Key", key(i, n))
			}
			s.returns(op, 2*sec, fine)
		}
		return s
	}
	uuid := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	own := func(call, _ int) string { return uuid(call) }
	judgeAll(t, FreshKeys(All(), 3),
		judged{"one for each call", calls(own), harness.Pass},
		judged{"one for the process", calls(func(int, int) string { return uuid(1) }), harness.Fail},
		judged{"one for each attempt", calls(func(call, n int) string { return uuid(10*call + n) }), harness.Fail},
		judged{"no UUID", calls(func(call, _ int) string { return fmt.Sprint("key-", call) }), harness.Fail},
		judged{"one attempt", making(keyedCall(harness.OpCall, "", uuid(1))), harness.Inconclusive},
		judged{"not declared", keyedCall(harness.OpCall, "", "", ""), harness.NotApplicable},
		judged{"it never ended", making(open()), harness.Inconclusive},
	)
	judgeAll(t, FreshKeys(All(), 4), judged{"too few", calls(own), harness.Inconclusive})
}

func TestNeverReplayed(t *testing.T) {
	seen := func(s *story) *story { return s.watched("a@shim", 9*sec) }
	judgeAll(t, NeverReplayed(All(), 1),
		judged{"once", seen(keyedCall(harness.OpCall, "", "")), harness.Pass},
		judged{"again", seen(keyedCall(harness.OpCall, "", "", "")), harness.Fail},
		judged{"not at all", seen(keyedCall(harness.OpCall, "")), harness.Fail},
		judged{"again under a key that it made", seen(making(keyedCall(harness.OpCall, "", "k", "k"))), harness.Pass},
		judged{"again under another", seen(making(keyedCall(harness.OpCall, "", "k", "l"))), harness.Fail},
		judged{"it makes keys, and did not", seen(making(keyedCall(harness.OpCall, "", "", ""))), harness.Fail},
		judged{"not watched", keyedCall(harness.OpCall, "", ""), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	shut := func(s *story, n int) *story { return seen(s).knocks("a@shim", "full", n) }
	judgeAll(t, NeverReplayed(All(), 0),
		judged{"never", shut(keyedCall(harness.OpCall, ""), 1), harness.Pass},
		judged{"it came back and got in", shut(keyedCall(harness.OpCall, "", ""), 1), harness.Fail},
		judged{"it came back and was refused again", shut(keyedCall(harness.OpCall, ""), 2), harness.Fail},
		judged{"it came back and sent nothing", shut(keyedCall(harness.OpCall, ""), 1).connection("a@shim", 1, 2*sec, 3*sec, harness.ByCaller, 0), harness.Fail},
		judged{"it makes keys", shut(making(keyedCall(harness.OpCall, "")), 3), harness.Pass},
		judged{"the door was open", shut(keyedCall(harness.OpCall, "", ""), 0), harness.Inconclusive},
	)
}

// dumps is a call of attempts, each with changes to the plain request.
func dumps(operation string, changes ...func(*harness.Call)) *story {
	s := paced()
	op := s.invoke("a@shim", harness.Request{Operation: operation, Method: "PUT", Path: "/items/1?q=a%20b", BodySHA256: "b"})
	s.at(sec)
	for i, change := range changes {
		s.answers("a@shim", int64(i+1), sec, sec, 503).lines("Host", "h:1", "Accept", "text/plain").with(func(c *harness.Call) {
			c.Method, c.Path, c.BodySHA256, c.BodyBytes = "PUT", "/items/1?q=a%20b", "b", 7
			change(c)
		})
	}
	return s.returns(op, 2*sec, unavailable)
}

func TestSameRequest(t *testing.T) {
	same := func(*harness.Call) {}
	line := func(name, value string) func(*harness.Call) {
		return func(c *harness.Call) { c.Lines = append([][2]string{{name, value}}, c.Lines...) }
	}
	judgeAll(t, SameRequest(All(), [2]string{"accept", "text/plain"}),
		judged{"the same", dumps(harness.OpCall, same, same, same), harness.Pass},
		judged{"another order", dumps(harness.OpCall, same, func(c *harness.Call) { c.Lines[0], c.Lines[1] = c.Lines[1], c.Lines[0] }), harness.Pass},
		judged{"a header more", dumps(harness.OpCall, same, line("X-Retry", "1")), harness.Fail},
		judged{"a header twice", dumps(harness.OpCall, same, line("Accept", "text/plain")), harness.Fail},
		judged{"a header lost", dumps(harness.OpCall, line("X-View", "full"), same), harness.Fail},
		judged{"the caller's header changed", dumps(harness.OpCall, line("Accept", "*/*"), line("Accept", "*/*")), harness.Fail},
		judged{"another method", dumps(harness.OpCall, same, func(c *harness.Call) { c.Method = "GET" }), harness.Fail},
		judged{"the query is lost", dumps(harness.OpCall, same, func(c *harness.Call) { c.Path = "/items/1" }), harness.Fail},
		judged{"another path than was asked for", dumps(harness.OpCall, func(c *harness.Call) { c.Path = "/items/1?q=a+b" }, func(c *harness.Call) { c.Path = "/items/1?q=a+b" }), harness.Fail},
		judged{"two hosts", dumps(harness.OpCall, line("Host", "i"), line("Host", "i")), harness.Fail},
		judged{"a trace goes on", dumps(harness.OpCall, line("traceparent", "1"), line("traceparent", "2")), harness.Pass},
		judged{"a trace of another make goes on", dumps(harness.OpCall, line("X-Datadog-Parent-Id", "1"), line("x-datadog-parent-id", "2")), harness.Pass},
		judged{"one attempt", dumps(harness.OpCall, same), harness.Inconclusive},
		judged{"a gateway's own path", dumps(harness.OpGateway, func(c *harness.Call) { c.Path = "/x" }, func(c *harness.Call) { c.Path = "/x" }), harness.Pass},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	counting := dumps(harness.OpCall, line("X-Attempt", "1"), line("X-Attempt", "2"))
	declared := dumps(harness.OpCall, line("X-Attempt", "1"), line("X-Attempt", "2"))
	declared.header.Client = &harness.ClientInfo{AttemptHeader: "x-attempt"}
	judgeAll(t, SameRequest(All()),
		judged{"a counter", counting, harness.Fail},
		judged{"a counter that is declared", declared, harness.Pass},
	)
}

func TestSameBody(t *testing.T) {
	same := func(*harness.Call) {}
	empty := func(c *harness.Call) { c.BodySHA256, c.BodyBytes = "e", 0 }
	other := func(c *harness.Call) { c.BodySHA256 = "c" }
	none := dumps(harness.OpCall, empty, empty)
	for i := range none.events {
		if none.events[i].Request != nil {
			none.events[i].Request.BodySHA256 = ""
		}
	}
	partly := dumps(harness.OpCall, same).connection("a@shim", 2, sec, 2*sec, harness.ByCaller, 0)
	partly.events[len(partly.events)-1].Conn.Problem = "a request came only in part: 0 of 7 bytes of its body"
	judgeAll(t, SameBody(All()),
		judged{"the same", dumps(harness.OpCall, same, same), harness.Pass},
		judged{"none", none, harness.Pass},
		judged{"empty from the second on", dumps(harness.OpCall, same, empty), harness.Fail},
		judged{"another one", dumps(harness.OpCall, other, other), harness.Fail},
		judged{"only the rest of it", dumps(harness.OpCall, same, func(c *harness.Call) { c.BodyBytes = 3 }), harness.Fail},
		judged{"announced, and never sent", partly, harness.Fail},
		judged{"a gateway's own", dumps(harness.OpGateway, other, other), harness.Pass},
		judged{"a gateway's own changes", dumps(harness.OpGateway, other, same), harness.Fail},
		judged{"one attempt", dumps(harness.OpCall, same), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}
