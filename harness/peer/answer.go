package peer

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// answer sends what the plan has for an answer, as far as its break lets it.
func (x *exchange) answer() harness.CallOutcome {
	p := x.plan
	closes := x.req.last || p.Open || p.last
	head := slices.Clip(p.head)
	if closes && !p.told {
		head = append(head, "Connection: close\r\n"...)
	}
	if x.req.method == http.MethodHead || wordless(p.Status) {
		return x.headOnly(head, closes)
	}
	head = append(head, "\r\n"...)
	body := p.content
	switch p.Break {
	case harness.BreakHeaders:
		body = nil
	case harness.BreakShort, harness.BreakCut, harness.BreakChunk:
		body = body[:len(body)/2]
	}
	if !x.send(head, body) {
		return x.abandoned()
	}
	switch p.Break {
	case harness.BreakHeaders:
		return x.hold()
	case harness.BreakShort:
		return x.finish(harness.CallTruncated)
	case harness.BreakCut:
		return x.reset()
	case harness.BreakChunk:
		if !x.write([]byte(badChunk)) {
			return x.abandoned()
		}
		return x.finish(harness.CallTruncated)
	}
	if p.Chunked {
		x.ends()
		if !x.write([]byte("0\r\n\r\n")) {
			return x.abandoned()
		}
	}
	x.call.Answers = p.sum
	return x.complete(closes)
}

// badChunk is a chunk longer than it says, so that in place of the line end
// after it there is something else.
const badChunk = "4\r\nno chunk ends so\r\n"

// headOnly sends an answer without a body. What breaks in the middle breaks
// before the empty line that ends the head.
func (x *exchange) headOnly(head []byte, closes bool) harness.CallOutcome {
	if !breaksInside(x.plan.Break) {
		head = append(head, "\r\n"...)
	}
	if !x.send(head, nil) {
		return x.abandoned()
	}
	switch x.plan.Break {
	case harness.BreakHeaders:
		return x.hold()
	case harness.BreakShort, harness.BreakChunk:
		return x.finish(harness.CallTruncated)
	case harness.BreakCut:
		return x.reset()
	}
	x.call.Answers = sum(nil)
	return x.complete(closes)
}

// complete ends an exchange whose answer went out in full.
func (x *exchange) complete(closes bool) harness.CallOutcome {
	x.keep = !closes
	if closes {
		x.conn.finish(true)
	}
	return harness.CallAnswered
}

// send writes a head and a body in the pieces and at the pace of the plan.
func (x *exchange) send(head, body []byte) bool {
	size := x.plan.pieces()
	next := time.Now()
	out := head
	for first := true; ; first = false {
		n := min(size, len(body))
		out = x.plan.frame(out, body[:n])
		body = body[n:]
		x.ends() // if nothing follows
		if !x.write(out) {
			return false
		}
		if first {
			x.call.Status = x.plan.Status
		}
		if len(body) == 0 {
			return true
		}
		out = nil
		next = next.Add(x.plan.Every.Std())
		if !x.pause(time.Until(next)) {
			return false
		}
	}
}

// frame appends a piece of the body as it stands on the wire.
func (p *plan) frame(out, part []byte) []byte {
	if !p.Chunked {
		return append(out, part...)
	}
	if len(part) == 0 {
		return out
	}
	return append(append(fmt.Appendf(out, "%x\r\n", len(part)), part...), "\r\n"...)
}
