package wire_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/oncecheck/oncecheck/harness"
)

const (
	injected = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n" +
		"Retry-After: 7\r\nContent-Length: 32\r\nConnection: close\r\n\r\n" + `{"code":"INJECTED","status":503}`
	notHTTP = "\x00\xfe\xffthese bytes are not HTTP\r\n\r\n"
)

// upTo returns the closing answer up to and including the marker.
func upTo(marker string) string {
	head, _, _ := strings.Cut(closing, marker)
	return head + marker
}

// TestCuts looks at both sides: what reached the caller and how its connection
// ended, and how often the upstream was asked.
func TestCuts(t *testing.T) {
	line, head := upTo("Created\r\n"), upTo("\r\n\r\n")
	for _, c := range []struct {
		fault, got, end string
		asked           int
		outcome         harness.CallOutcome
		status          int
		silent          bool // the fault cannot act on this answer
	}{
		{fault: "before-forward:reset", end: "rst", outcome: harness.CallReset},
		{fault: "before-forward:close", end: "fin", outcome: harness.CallClosed},
		{fault: "before-forward:delay(1ms)", got: closing, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 201},
		{fault: "before-forward:status(503,7)", got: injected, end: "fin", outcome: harness.CallAnswered, status: 503},
		{fault: "before-forward:delay(1ms,503,7)", got: injected, end: "fin", outcome: harness.CallAnswered, status: 503},
		{fault: "after-commit:delay(1ms,503,7)", got: injected, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 503},
		{fault: "before-forward:garbage", got: notHTTP, end: "fin", outcome: harness.CallGarbage},
		{fault: "after-commit:reset", end: "rst", asked: 1, outcome: harness.CallReset},
		{fault: "after-commit:close", end: "fin", asked: 1, outcome: harness.CallClosed},
		{fault: "after-commit:delay(1ms)", got: closing, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 201},
		{fault: "after-commit:status(503,7)", got: injected, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 503},
		{fault: "after-commit:garbage", got: notHTTP, end: "fin", asked: 1, outcome: harness.CallGarbage},
		{fault: "status:reset", got: line, end: "rst", asked: 1, outcome: harness.CallReset, status: 201},
		{fault: "status:close", got: line, end: "fin", asked: 1, outcome: harness.CallClosed, status: 201},
		{fault: "status:delay(1ms)", got: closing, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 201},
		{fault: "headers:reset", got: head, end: "rst", asked: 1, outcome: harness.CallReset, status: 201},
		{fault: "headers:close", got: head, end: "fin", asked: 1, outcome: harness.CallClosed, status: 201},
		{fault: "headers:delay(1ms)", got: closing, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 201},
		{fault: "body@0:reset", got: head, end: "rst", asked: 1, outcome: harness.CallReset, status: 201},
		{fault: "body@4:reset", got: head + "0123", end: "rst", asked: 1, outcome: harness.CallReset, status: 201},
		{fault: "body@4:close", got: head + "0123", end: "fin", asked: 1, outcome: harness.CallClosed, status: 201},
		{fault: "body@4:delay(1ms)", got: closing, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 201},
		{fault: "body@10:reset", got: closing, end: "rst", asked: 1, outcome: harness.CallReset, status: 201},
		{fault: "truncate(3)", got: head + "012", end: "fin", asked: 1, outcome: harness.CallTruncated, status: 201},
		{fault: "body@2:truncate(3)", got: head + "01234", end: "fin", asked: 1, outcome: harness.CallTruncated, status: 201},
		{fault: "body@11:reset", got: closing, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 201, silent: true},
		{fault: "truncate(10)", got: closing, end: "fin", asked: 1, outcome: harness.CallAnswered, status: 201, silent: true},
	} {
		t.Run(c.fault, func(t *testing.T) {
			r := newRig(t, plain, nil)
			injection := r.inject(t, "payment/charge#1:"+c.fault)
			caller := dial(t, r.Addr())
			caller.send(charge("Connection: close"))
			if got, end := caller.rest(); got != c.got || end != c.end {
				t.Errorf("caller got %q and %s, want %q and %s", got, end, c.got, c.end)
			}
			if asked := len(r.up.requests()); asked != c.asked {
				t.Errorf("upstream was asked %d times, want %d", asked, c.asked)
			}
			call := receive(t, r.calls, "the call")
			wantFired, wantFault := 1, injectedText(c.fault)
			if c.silent {
				wantFired, wantFault = 0, ""
			}
			if call.Outcome != c.outcome || call.Status != c.status || call.Upstream != 201*c.asked || call.Fault != wantFault {
				t.Errorf("journal says %+v, want outcome %s, status %d, fault %q", call, c.outcome, c.status, wantFault)
			}
			if (call.Forwarded > 0) != (c.asked > 0) || (call.Answered > 0) != (c.asked > 0) || call.Started <= 0 || call.Ended < call.Started {
				t.Errorf("journal has times that cannot be: %+v", call)
			}
			if n := injection.Fired(); n != wantFired {
				t.Errorf("fault fired %d times, want %d", n, wantFired)
			}
		})
	}
}

// injectedText returns the canonical text of a fault of [TestCuts].
func injectedText(rest string) string {
	f, err := harness.ParseFault("payment/charge#1:" + rest)
	if err != nil {
		return err.Error()
	}
	return f.String()
}

// TestBodyCutIsExact covers answers that do not fit the kernel's buffers and a
// caller that reads late: an RST must not take bytes along.
func TestBodyCutIsExact(t *testing.T) {
	const size, cut = 8 << 20, 7<<20 + 123
	body := strings.Repeat("0123456789abcdef", size/16)
	r := newRig(t, "HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n"+body, nil)
	r.inject(t, "payment#1:body@7340155:reset")
	caller := dial(t, r.Addr())
	caller.send(charge())
	receive(t, r.up.arrived, "the request")
	want := "HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n" + body[:cut]
	if got, end := caller.rest(); got != want || end != "rst" {
		t.Errorf("caller got %d bytes and %s, want %d and rst", len(got), end, len(want))
	}
}

func TestAnyBodyCutIsExact(t *testing.T) {
	r := newRig(t, plain, nil)
	head := answerHead + "\r\n"
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, len(answerBody)-1).Draw(rt, "bytes")
		action := rapid.SampledFrom([]harness.ActionName{harness.ActReset, harness.ActClose, harness.ActTruncate}).Draw(rt, "action")
		f := harness.Fault{Link: "payment", Cut: harness.Cut{Point: harness.CutBody, At: n}, Action: harness.Action{Name: action}}
		injection, err := r.injector.Inject(t.Context(), f, "c")
		if err != nil {
			rt.Fatal(err)
		}
		caller := dial(t, r.Addr())
		caller.send(charge())
		wantEnd := map[bool]string{true: "rst", false: "fin"}[action == harness.ActReset]
		if got, end := caller.rest(); got != head+answerBody[:n] || end != wantEnd {
			rt.Fatalf("caller got %q and %s", got, end)
		}
		receive(t, r.calls, "the call")
		_ = injection.Lift(t.Context())
	})
}

func TestDuplicate(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, plain, hold)
	injection := r.inject(t, "payment/charge#1:before-forward:duplicate")
	caller := dial(t, r.Addr())
	caller.send(charge("Connection: close"))
	first, second := receive(t, r.up.arrived, "the first copy"), receive(t, r.up.arrived, "the second copy")
	if first != second {
		t.Errorf("the copies differ:\n%q\n%q", first, second)
	}
	if n := r.journal.InFlight("c"); n != 2 {
		t.Errorf("%d in flight, want both copies", n)
	}
	close(hold)
	if got, _ := caller.rest(); got != closing {
		t.Errorf("caller got %q", got)
	}
	outcomes := map[harness.CallOutcome]harness.Call{}
	for range 2 {
		call := receive(t, r.calls, "a call")
		outcomes[call.Outcome] = call
	}
	for _, o := range []harness.CallOutcome{harness.CallAnswered, harness.CallDiscarded} {
		if c := outcomes[o]; c.Index != 1 || c.Fault == "" || c.Upstream != 201 || c.Forwarded == 0 || c.Answered == 0 {
			t.Errorf("journal has no proper %s call: %+v", o, c)
		}
	}
	if injection.Fired() != 1 {
		t.Errorf("fired %d times, want 1", injection.Fired())
	}
	until(t, "nothing is in flight", func() bool { return r.journal.InFlight("c") == 0 })
}
