package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// serve reads one request and answers it. It reports whether the connection can
// carry another.
func (c *conn) serve() bool {
	req, err := readHead(c.in)
	var p *peer
	if req != nil && err == nil {
		if p = c.host.find(req.target); p != nil && !c.enter(p) {
			p = nil
		}
		if req.proceed {
			_, err = c.stream.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
		}
		if err == nil {
			err = req.readBody(c.in)
		}
	}
	if err != nil {
		c.unread(p, req, err)
		return false
	}
	fresh := c.read(p)
	x := &exchange{conn: c, req: req, call: harness.Call{Link: harness.LinkDependency, Conn: c.id, Method: req.method, Path: req.target,
		Key: req.value("Idempotency-Key"), CorrelationID: req.value("X-Correlation-ID"), Lines: req.lines,
		BodySHA256: req.sum, BodyBytes: req.bytes, Started: c.host.now()}}
	tell := c.host.stray
	if p == nil {
		x.ctx, x.plan = c.host.ctx, unknown()
	} else {
		tell, x.ctx = p.see, p.ctx
		x.call.Index, x.call.Step, x.plan = p.take(fresh)
		x.call.Fault = x.plan.fault
	}
	x.call.Outcome = x.run()
	tell(harness.Event{Type: harness.CallEvent, Call: &x.call})
	if x.keep {
		return true
	}
	c.linger(p)
	return false
}

// unread ends the connection of a request of p that did not come in full.
func (c *conn) unread(p *peer, req *request, err error) {
	switch {
	case req == nil: // the connection was idle
	case errors.Is(err, errMalformed), errors.Is(err, errTooLarge):
		c.fault(err.Error())
		refusal := refused(err)
		_, _ = c.stream.Write(append(refusal.head, "Connection: close\r\n\r\n"+refusal.Body...))
		c.finish(true)
		c.linger(p)
	default:
		c.fault("a request came only in part: " + err.Error())
		if p != nil && p.ctx.Err() != nil {
			c.endedBy(harness.ByPeer)
		}
	}
}

// exchange is one request on its way to an answer.
type exchange struct {
	conn *conn
	req  *request
	plan *plan
	ctx  context.Context // of the case
	call harness.Call
	left <-chan struct{} // closed when the caller left; nil if nobody watches
	keep bool            // the connection can carry another request
}

// run carries the plan out and returns how it ended.
func (x *exchange) run() harness.CallOutcome {
	if x.plan.slow() {
		left, stop := x.conn.watch()
		defer stop()
		x.left = left
	}
	if !x.pause(x.plan.Delay.Std()) {
		return x.abandoned()
	}
	switch x.plan.Break {
	case harness.BreakSilent:
		return x.hold()
	case harness.BreakClose:
		return x.finish(harness.CallClosed)
	case harness.BreakReset:
		return x.reset()
	case harness.BreakGarbage:
		if !x.write([]byte(garbage)) {
			return x.abandoned()
		}
		return x.finish(harness.CallGarbage)
	case harness.BreakInterim:
		return x.flood()
	}
	return x.answer()
}

// pause waits, unless somebody ends the exchange before.
func (x *exchange) pause(d time.Duration) bool {
	if d <= 0 {
		return x.ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.left:
	case <-x.ctx.Done():
	}
	return false
}

// hold sends nothing until somebody ends the exchange.
func (x *exchange) hold() harness.CallOutcome {
	select {
	case <-x.left:
	case <-x.ctx.Done():
	}
	return x.abandoned()
}

// ends notes the end of the exchange. It comes before what ends it, so that a
// caller's next attempt never begins before this one ended, however late this
// process gets its turn again.
func (x *exchange) ends() { x.call.Ended = x.conn.host.now() }

// abandoned says who ended the exchange before its time.
func (x *exchange) abandoned() harness.CallOutcome {
	x.ends()
	if x.ctx.Err() != nil {
		x.conn.cut()
		return harness.CallClosed
	}
	x.conn.endedBy(harness.ByCaller)
	return harness.CallPeerLeft
}

func (x *exchange) finish(outcome harness.CallOutcome) harness.CallOutcome {
	x.ends()
	x.conn.finish(false)
	return outcome
}

// reset ends the connection with RST once the caller's kernel has all bytes: an
// RST makes ours forget what it has not delivered yet.
func (x *exchange) reset() harness.CallOutcome {
	if !x.drain() {
		return x.abandoned()
	}
	x.ends()
	_ = x.conn.tcp.SetLinger(0)
	x.conn.cut()
	return harness.CallReset
}

// drain waits until the caller's kernel has acknowledged every byte. Ours has no
// event for it.
func (x *exchange) drain() bool {
	const pause = 200 * time.Microsecond
	for {
		queued, err := unsent(x.conn.tcp)
		if err != nil {
			return false
		}
		if queued == 0 {
			return true
		}
		if !x.pause(pause) {
			return false
		}
	}
}

// garbage is no HTTP in any version: it begins with a byte that no status line
// begins with, and ends like one, so that a reader gets something to refuse.
const garbage = "\x00\xfe\xffthese bytes are not HTTP\r\n\r\n"

// Interim answers come as fast as a busy server sends them, and no faster than
// a client can throw them away.
const (
	interim      = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
	interimEvery = 50 * time.Millisecond
)

// flood sends interim answers until somebody ends the exchange.
func (x *exchange) flood() harness.CallOutcome {
	for x.write([]byte(interim)) && x.pause(interimEvery) {
		continue
	}
	return x.abandoned()
}

// write reports whether the caller took the bytes, as far as its kernel tells.
func (x *exchange) write(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	_, err := x.conn.stream.Write(b)
	return err == nil
}

// unknown answers requests of which nobody knows whose they are.
func unknown() *plan {
	return newPlan(problem(http.StatusNotFound, "UNKNOWN_ITEM", "no case that is under way has an item in this path"))
}

// refused answers a request that could not be read.
func refused(err error) *plan {
	status, code := http.StatusBadRequest, "MALFORMED_REQUEST"
	if errors.Is(err, errTooLarge) {
		status, code = http.StatusRequestEntityTooLarge, "REQUEST_TOO_LARGE"
	}
	return newPlan(problem(status, code, err.Error()))
}

func problem(status int, code, message string) harness.Step {
	var body bytes.Buffer
	fmt.Fprintf(&body, `{"code":%q,"message":%q,"retryable":false}`, code, message)
	return harness.Step{Status: status, Header: [][2]string{{"Content-Type", "application/json"}}, Body: body.String()}
}
