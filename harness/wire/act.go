package wire

import (
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// cut returns where the fault of the exchange acts, empty without one.
func (x *exchange) cut() harness.Point {
	if x.armed == nil {
		return ""
	}
	return x.armed.fault.Cut.Point
}

// fire counts the fault. It comes before the symptom, so that who sees the
// symptom finds the fault fired.
func (x *exchange) fire() {
	x.call.Fault = x.armed.text
	x.armed.fire()
}

// release gives the upstream's answer to the caller, as far as the fault of the
// exchange lets it through.
func (x *exchange) release(m message) harness.CallOutcome {
	at, ok := x.cutIn(m)
	if !ok {
		return x.send(m)
	}
	if !x.write(m, 0, at) {
		return x.abandoned()
	}
	if outcome := x.act(); outcome != "" {
		return outcome
	}
	return x.sendFrom(m, at)
}

// cutIn returns the offset at which the fault cuts the message. It does not if
// the body ends before: nothing would be missing.
func (x *exchange) cutIn(m message) (int, bool) {
	switch x.cut() {
	case harness.CutAfterCommit:
		return 0, true
	case harness.CutStatus:
		return m.line, true
	case harness.CutHeaders:
		return m.head, true
	case harness.CutBody:
		action := x.armed.fault.Action
		at := m.head + x.armed.fault.Cut.At + action.Bytes
		if action.Name == harness.ActTruncate {
			return at, at < len(m.bytes)
		}
		return at, at <= len(m.bytes)
	}
	return 0, false
}

// act carries out the action of the fault at the place that the exchange has
// reached. It returns how that ended the exchange, or nothing if the exchange
// goes on as usual.
func (x *exchange) act() harness.CallOutcome {
	x.fire()
	switch action := x.armed.fault.Action; action.Name {
	case harness.ActReset:
		x.caller.reset(x.link.ctx)
		return harness.CallReset
	case harness.ActClose:
		x.caller.close()
		return harness.CallClosed
	case harness.ActTruncate:
		x.caller.close()
		return harness.CallTruncated
	case harness.ActStall:
		return x.hold(nil)
	case harness.ActDelay:
		timer := time.NewTimer(action.Delay.Std())
		defer timer.Stop()
		if outcome := x.hold(timer.C); outcome != "" || action.Status == 0 {
			return outcome
		}
		return x.send(injectedAnswer(action).encode(x.req))
	case harness.ActStatus:
		return x.send(injectedAnswer(action).encode(x.req))
	case harness.ActGarbage:
		return x.garble()
	case harness.ActDuplicate:
		x.twice = true
	}
	return ""
}

// hold keeps the exchange where it is: until the time has come, or without a
// time until the fault is lifted. A caller that leaves ends it.
func (x *exchange) hold(until <-chan time.Time) harness.CallOutcome {
	lifted := x.armed.lifted
	if until != nil {
		lifted = nil
	}
	select {
	case <-until:
	case <-lifted:
	case <-x.caller.left:
	case <-x.link.ctx.Done():
	}
	if x.caller.gone() || x.link.ctx.Err() != nil {
		return x.abandoned()
	}
	return ""
}

// garbage is no HTTP in any version: it begins with a byte that no status line
// begins with, and ends like one, so that a reader gets something to refuse.
const garbage = "\x00\xfe\xffthese bytes are not HTTP\r\n\r\n"

func (x *exchange) garble() harness.CallOutcome {
	if x.caller.gone() {
		return x.abandoned()
	}
	if _, err := x.caller.conn.Write([]byte(garbage)); err != nil {
		return x.abandoned()
	}
	x.caller.close()
	return harness.CallGarbage
}
