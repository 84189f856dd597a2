package reports

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// blow is what a fault did to an exchange.
type blow struct {
	sign    string // the action's name
	text    string // "reset after-commit"
	request bool   // it hit the request, not the answer
}

// struck reads the fault that a link noted on an exchange.
func struck(c harness.Call) blow {
	if c.Fault == "" {
		return blow{}
	}
	f, err := harness.ParseFault(c.Fault)
	if c.Step > 0 { // of a scripted peer, which writes its steps in words of its own
		_, step, _ := strings.Cut(c.Fault, ":")
		return blow{sign: "fault", text: oneLine(step)}
	}
	if err != nil {
		return blow{sign: "fault", text: oneLine(c.Fault), request: c.Forwarded == 0}
	}
	b := blow{sign: string(f.Action.Name), text: f.Action.String() + " " + f.Cut.String()}
	switch f.Cut.Point {
	case harness.CutConnect, harness.CutTLS, harness.CutBeforeForward, harness.CutStub:
		b.request = true
	}
	return b
}

// attempt draws a request and its end as the caller met it.
func (b *builder) attempt(a attempt) {
	r := a.invoke.Request
	request := row{at: a.invoke.At, from: a.seat, to: b.target, label: requestLabel(r), detail: requestDetail(a), seqs: []int64{a.invoke.Seq}}
	var hit blow
	if a.wire != nil {
		hit = struck(*a.wire)
		request.seqs = append(request.seqs, a.wireAt)
		if a.wire.Forwarded == 0 {
			request.reach = endsOnWire
		}
	}
	if hit.request {
		request.sign, request.note = hit.sign, hit.text
	}
	if a.done != nil && a.done.Type == harness.Failure {
		request.reach, request.note = endsOnWire, "never sent"
	}
	b.add(request)
	b.outcome(a, hit)
}

// outcome draws what the caller got: an answer, an answer lost on the way, or
// nothing that tells.
func (b *builder) outcome(a attempt, hit blow) {
	if a.done == nil {
		b.add(row{kind: rowMark, at: a.invoke.At, to: a.seat, label: "no end was recorded", seqs: nil})
		return
	}
	r := row{at: a.done.At, from: b.target, to: a.seat, answer: true, detail: oneLine(a.done.Error), seqs: []int64{a.done.Seq}}
	forwarded := a.wire == nil || a.wire.Forwarded > 0
	if !hit.request && hit.sign != "" {
		r.sign, r.note = hit.sign, hit.text
	}
	switch {
	case a.done.Answer != nil:
		r.label = answerLabel(*a.done.Answer)
		r.detail = fmt.Sprintf("%d bytes", a.done.Answer.BodyBytes)
		if !forwarded {
			r.reach = fromWire
		}
	case a.done.Type == harness.Failure:
		r.kind, r.label = rowMark, "nothing was sent: "+oneLine(a.done.Error)
	case r.sign != "" && forwarded:
		r.reach, r.label = endsOnWire, "outcome unknown"
	default:
		r.kind, r.label = rowMark, "outcome unknown: "+oneLine(a.done.Error)
	}
	b.add(r)
}

// call draws an exchange on a link: the request, the effects that the ledger
// attributes to it, and how it ended.
func (b *builder) call(c call, effects []harness.Event) {
	hit := struck(c.Call)
	peer, from := b.links[c.Link], b.target
	request := row{at: c.Started, from: from, to: peer, label: callLabel(c.Call), detail: callDetail(c.Call), seqs: []int64{c.seq}}
	if c.Link == harness.LinkClient {
		request.from, request.reach = 0, fromWire
		from = 0
	} else if c.Forwarded == 0 {
		request.reach = endsOnWire
	}
	if hit.request {
		request.sign, request.note = hit.sign, hit.text
	}
	if c.Outcome == harness.CallDiscarded {
		request.note = "a copy made by the link"
	}
	b.add(request)
	for _, e := range effects {
		b.effect(e, cmp.Or(c.Answered, c.Forwarded, c.Started), peer)
	}
	b.callEnd(c, hit, peer, from)
}

func (b *builder) callEnd(c call, hit blow, peer, from int) {
	end := row{at: c.Ended, from: peer, to: from, answer: true, seqs: nil, label: statusText(cmp.Or(c.Status, c.Upstream))}
	if !hit.request && hit.sign != "" {
		end.sign, end.note = hit.sign, hit.text
	}
	switch c.Outcome {
	case harness.CallAnswered, harness.CallGarbage:
		if c.Forwarded == 0 {
			end.reach = fromWire
		}
	case harness.CallReset, harness.CallClosed, harness.CallTruncated:
		if c.Forwarded == 0 {
			return // the request row shows where it ended
		}
		end.reach, end.label = endsOnWire, statusText(c.Upstream)
	case harness.CallDiscarded:
		end.reach, end.note = endsOnWire, "answer to the copy, discarded"
	case harness.CallPeerLeft:
		if c.Answered > 0 {
			end.reach, end.at, end.label = endsOnWire, c.Answered, statusText(c.Upstream)
			b.add(end)
		}
		end = row{kind: rowMark, at: c.Ended, to: from, label: "gave up after " + span(c.Ended-c.Started)}
	default:
		end = row{kind: rowMark, at: c.Ended, to: peer, label: oneLine(string(c.Outcome))}
	}
	b.add(end)
}

func requestLabel(r *harness.Request) string {
	s := r.Operation
	if r.Variant != "" {
		s += " (" + r.Variant + ")"
	}
	s += " · try " + strconv.Itoa(r.Attempt)
	if r.Final {
		s += " (final)"
	}
	switch {
	case len(r.Keys) == 1:
		s += " · key " + shortKey(r.Keys[0])
	case len(r.Keys) > 1:
		s += " · " + plural(len(r.Keys), "key")
	case r.Operation != harness.OpStatus:
		s += " · no key"
	}
	return oneLine(s)
}

func requestDetail(a attempt) string {
	r := a.invoke.Request
	if a.done != nil && a.done.Request != nil {
		r = a.done.Request
	}
	return oneLine(fmt.Sprintf("%s %s keys=%s reference=%s amount=%d correlation=%s",
		r.Method, r.Path, strings.Join(r.Keys, ","), r.Reference, r.Amount, r.CorrelationID))
}

func answerLabel(a harness.Answer) string {
	parts := []string{strconv.Itoa(a.Status)}
	for _, p := range []struct{ name, value string }{{"", cmp.Or(a.Code, a.State)}, {"order ", shortKey(a.OrderID)}, {"retry after ", a.RetryAfter}} {
		if p.value != "" {
			parts = append(parts, p.name+p.value)
		}
	}
	return oneLine(strings.Join(parts, " · "))
}

func callLabel(c harness.Call) string {
	s := cmp.Or(c.Operation, c.Method+" "+c.Path) + " · call " + strconv.Itoa(c.Index)
	if c.Key != "" {
		s += " · key " + shortKey(c.Key)
	}
	return oneLine(s)
}

func callDetail(c harness.Call) string {
	return oneLine(fmt.Sprintf("%s %s key=%s reference=%s connection=%d outcome=%s fault=%s", c.Method, c.Path, c.Key, c.Reference, c.Conn, c.Outcome, c.Fault))
}

// shortKey shows both ends of a key: keys of one case may share either.
func shortKey(key string) string {
	r := []rune(oneLine(key))
	if len(r) <= 12 {
		return string(r)
	}
	return string(r[:5]) + "…" + string(r[len(r)-4:])
}

func statusText(status int) string {
	if status == 0 {
		return ""
	}
	return strconv.Itoa(status)
}

// span writes a duration to three digits or so.
func span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
