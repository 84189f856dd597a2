package check

import (
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// through writes a history of calls through a gateway, each after the other.
type through struct {
	*story
	now  time.Duration
	asks int
}

func throughGateway() *through {
	s := newStory()
	s.header.Policy = harness.RequiredPolicy()
	s.header.Gateway = &harness.GatewayInfo{Write: true, MaxAge: harness.Duration(15 * time.Minute), Refused: []string{harness.CredentialMalformed}}
	return &through{story: s, now: time.Second}
}

// meets is one request of a call at the dependency: its answer, 0 if it broke off.
type meets struct {
	status int
	body   string // of an answer that was sent in full
	id     string // correlation id; empty: the call's
}

// ask makes a call in case c, which reaches the dependency as often as met says,
// and comes to the answer. Its correlation id is its number.
func (g *through) ask(c string, r harness.Request, a harness.Answer, met ...meets) *through {
	g.asks++
	r.Operation = harness.OpGateway
	if r.CorrelationID == "" {
		r.CorrelationID = callID(g.asks)
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	op := g.invoke(c, r)
	g.at(g.now)
	for i, m := range met {
		if m.id == "" {
			m.id = r.CorrelationID
		}
		from := g.now + time.Duration(i+1)*time.Millisecond
		g.add(harness.Event{Type: harness.CallEvent, Case: "t/s/" + c, Call: &harness.Call{Link: harness.LinkDependency, Index: i + 1, Method: r.Method, Path: "/items/x?page=2",
			CorrelationID: m.id, BodySHA256: r.BodySHA256, Started: from, Ended: from + time.Millisecond, Status: m.status, Answers: m.body, Outcome: harness.CallAnswered}})
	}
	g.now += 100 * time.Millisecond
	if a.Header == nil {
		a.Header = map[string][]string{}
	}
	if _, set := a.Header[harness.CorrelationHeader]; !set {
		a.Header[harness.CorrelationHeader] = []string{r.CorrelationID}
	}
	if a.Code != "" && a.CorrelationID == "" {
		a.CorrelationID = r.CorrelationID
	}
	g.answer(op, a)
	g.at(g.now)
	g.now += time.Second
	return g
}

func callID(n int) string { return "corr-" + string(rune('0'+n)) }

// The answers of a gateway, and what its dependency does.
var (
	seedAnswer = harness.Answer{Status: 200, Body: "the stored one", BodySHA256: "sha-stored", BodyBytes: 14}
	down503    = harness.Answer{Status: 503, Code: CodeUnavailable}
	down504    = harness.Answer{Status: 504, Code: CodeTimeout}
	nobody401  = harness.Answer{Status: 401, Code: "UNAUTHENTICATED"}
	gives      = meets{status: 200, body: "sha-stored"}
	fails      = meets{status: 503, body: "sha-error"}
	alice      = harness.Request{}
	bob        = harness.Request{Principal: "bob"}
)

// withHeader returns the answer with a header line.
func withHeader(a harness.Answer, lines ...string) harness.Answer {
	header := map[string][]string{}
	for i := 0; i < len(lines); i += 2 {
		header[lines[i]] = append(header[lines[i]], lines[i+1])
	}
	a.Header = header
	return a
}

// fellBack is the stored result as it has to be served.
func fellBack() harness.Answer {
	return withHeader(seedAnswer, harness.SourceHeader, harness.SourceFallback)
}

// seeded is a case whose first call left a result.
func seeded() *through { return throughGateway().ask("a@gateway", alice, seedAnswer, gives) }
