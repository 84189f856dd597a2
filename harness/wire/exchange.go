package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// exchange is one request on its way to an answer.
type exchange struct {
	link   *Link
	caller *caller
	req    *request
	owner  *followed // the case it belongs to, nil if nobody claimed it
	armed  *armed    // what acts on it, nil if nothing does
	call   harness.Call
	twice  bool // the request goes upstream a second time
}

// serve answers the requests of one connection until either side ends it.
func (l *Link) serve(c *caller) {
	proceed := func() error {
		_, err := c.conn.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
		return err
	}
	for {
		req, err := readRequest(c.in, proceed)
		if err != nil {
			if refusal := refusalOf(err); refusal != nil {
				l.refuse(c, req, refusal)
			} else if l.cfg.PassHangUp && len(req.body) > 0 && l.ctx.Err() == nil {
				l.passPart(c, req)
			}
			return
		}
		if !l.exchange(c, req) {
			return
		}
	}
}

// refusalOf returns the answer to a request that cannot be forwarded, or nil if
// the caller waits for none.
func refusalOf(err error) *answer {
	switch {
	case errors.Is(err, errMalformed):
		return localAnswer(http.StatusBadRequest, "MALFORMED_REQUEST", err.Error())
	case errors.Is(err, errHeadTooLarge):
		return localAnswer(http.StatusRequestHeaderFieldsTooLarge, "HEAD_TOO_LARGE", err.Error())
	case errors.Is(err, errBodyTooLarge):
		return localAnswer(http.StatusRequestEntityTooLarge, "BODY_TOO_LARGE", err.Error())
	}
	return nil
}

// refuse answers a request that never becomes a forwarded exchange. It is
// counted and journaled where it can be attributed; no fault acts on it.
func (l *Link) refuse(c *caller, req *request, refusal *answer) {
	x := l.begin(c, req)
	x.armed = nil
	req.last = true
	c.left = make(chan struct{}) // what the caller still sends is not watched, only drained
	x.end(x.send(refusal.encode(req)))
	c.hangUp()
}

// UpstreamHeader marks an answer that the link gave because the upstream gave
// none. Its value says whether the upstream was ever sent the request.
const (
	UpstreamHeader      = "X-Oncecheck-Upstream"
	UpstreamUnreachable = "unreachable" // nothing was sent
	UpstreamSilent      = "no-answer"   // sent, outcome unknown
)

// exchange carries one request to its end. It reports whether the connection
// can carry another.
func (l *Link) exchange(c *caller, req *request) bool {
	x := l.begin(c, req)
	c.watch()
	outcome := x.run()
	c.unwatch()
	x.end(outcome)
	return !req.last && (outcome == harness.CallAnswered || outcome == harness.CallUpstream)
}

// begin attributes and counts a request, and finds what acts on it.
func (l *Link) begin(c *caller, req *request) *exchange {
	x := &exchange{link: l, caller: c, req: req}
	var op Operation
	for _, o := range l.cfg.Operations {
		if o.matches(req.method, req.path) {
			op = o
			break
		}
	}
	var values []string
	if op.Attribute != nil {
		values = op.Attribute(req.header, req.body)
	}
	x.owner = l.journal.attribute(l.caseID(req), values)
	x.call = harness.Call{Link: l.cfg.Name, Operation: op.Name, Conn: c.n, Instance: l.cfg.Instance, Method: req.method, Path: req.path,
		BodySHA256: sum(req.body), Started: l.now()}
	if op.KeyHeader != "" {
		x.call.Key = strings.Join(req.header.Values(op.KeyHeader), ", ")
	}
	if l.cfg.ReferenceOf != nil {
		x.call.Reference = l.cfg.ReferenceOf(req.header, req.body)
	}
	if l.cfg.CorrelationOf != nil {
		x.call.CorrelationID = l.cfg.CorrelationOf(req.header, req.body)
	}
	var anyIndex int
	x.call.Index, anyIndex = l.journal.begin(x.owner, l.cfg.Name, op.Name)
	if x.owner != nil {
		x.armed = l.match(x.owner.id, op.Name, x.call.Index, anyIndex)
	}
	return x
}

func (l *Link) caseID(req *request) string {
	if l.cfg.CaseHeader == "" {
		return ""
	}
	return req.header.Get(l.cfg.CaseHeader)
}

func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:])
}

// run takes the exchange past its cuts.
func (x *exchange) run() harness.CallOutcome {
	if x.cut() == harness.CutBeforeForward {
		if outcome := x.act(); outcome != "" {
			return outcome
		}
	}
	a, err := x.forward()
	if a != nil {
		x.call.Upstream = a.status
	}
	if x.link.ctx.Err() != nil {
		return harness.CallClosed
	}
	if err != nil {
		message := fmt.Sprintf("link %s got no answer: %v; check that the upstream is up", x.link.cfg.Name, err)
		// The line tells a caller of ours that this is no answer of the upstream,
		// and whether the upstream can have seen the request.
		told := UpstreamHeader + ": " + UpstreamSilent
		if x.call.Forwarded == 0 {
			told = UpstreamHeader + ": " + UpstreamUnreachable
		}
		outcome := x.send(localAnswer(http.StatusBadGateway, "UPSTREAM_FAILED", message, told).encode(x.req))
		if outcome == harness.CallAnswered {
			outcome = harness.CallUpstream
		}
		return outcome
	}
	return x.release(a.encode(x.req))
}

// forward asks the upstream, or what a route put in its place.
func (x *exchange) forward() (*answer, error) {
	to := x.link.upstream()
	if x.armed != nil && x.armed.origin != nil {
		to = x.armed.origin
		x.fire()
	}
	sent := func() { x.call.Forwarded = x.link.now() }
	if x.twice {
		gate := make(chan struct{})
		open := sync.OnceFunc(func() { close(gate) })
		defer open() // also if this one could not be sent: the copy stands for itself
		x.forwardCopy(to, gate)
		sent = func() { x.call.Forwarded = x.link.now(); open() }
	}
	var ready func()
	if m := x.link.meets(x.owner); m != nil {
		ready = func() { x.link.arrive(x.owner, m) }
	}
	ctx, done := x.whileCalled()
	defer done()
	a, err := to.ask(ctx, x.req, ready, sent)
	if err == nil {
		x.call.Answered = x.link.now()
	}
	return a, err
}

// forwardCopy sends the request again on another connection, right after the
// first has been sent, and journals what came of it. Its answer reaches nobody.
func (x *exchange) forwardCopy(to origin, gate <-chan struct{}) {
	l, owner, req, call := x.link, x.owner, x.req, x.call
	l.journal.beginCopy(owner)
	l.running.Go(func() {
		a, err := to.ask(l.ctx, req, func() { <-gate }, func() { call.Forwarded = l.now() })
		call.Outcome = harness.CallUpstream
		if a != nil {
			call.Upstream = a.status
		}
		if err == nil {
			call.Outcome, call.Answered = harness.CallDiscarded, l.now()
		}
		call.Ended = l.now()
		l.journal.end(owner, call)
	})
}

// send writes a whole answer.
func (x *exchange) send(m message) harness.CallOutcome { return x.sendFrom(m, 0) }

// sendFrom writes the rest of an answer.
func (x *exchange) sendFrom(m message, from int) harness.CallOutcome {
	if !x.write(m, from, len(m.bytes)) {
		return x.abandoned()
	}
	return harness.CallAnswered
}

// write sends a part of an answer and reports whether the caller took it.
func (x *exchange) write(m message, from, to int) bool {
	if x.caller.gone() {
		return false
	}
	if from == to {
		return true
	}
	if _, err := x.caller.conn.Write(m.bytes[from:to]); err != nil {
		return false
	}
	x.call.Status = m.status
	return true
}

// abandoned says who ended the connection under the exchange.
func (x *exchange) abandoned() harness.CallOutcome {
	if x.link.ctx.Err() != nil {
		return harness.CallClosed
	}
	return harness.CallPeerLeft
}

func (x *exchange) end(outcome harness.CallOutcome) {
	x.call.Outcome, x.call.Ended = outcome, x.link.now()
	x.link.journal.end(x.owner, x.call)
}
