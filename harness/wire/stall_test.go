package wire_test

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestStallAndLift(t *testing.T) {
	for cut, before := range map[string]string{
		"before-forward": "", "after-commit": "", "status": upTo("Created\r\n"), "headers": upTo("\r\n\r\n"), "body@4": upTo("0123"),
	} {
		t.Run(cut, func(t *testing.T) {
			r := newRig(t, plain, nil)
			injection := r.inject(t, "payment#1:"+cut+":stall")
			caller := dial(t, r.Addr())
			caller.send(charge("Connection: close"))
			receive(t, injection.FiredC(), "the stall")
			caller.expect(before)
			asked := map[bool]int{true: 0, false: 1}[cut == "before-forward"]
			if n := len(r.up.requests()); n != asked {
				t.Errorf("upstream was asked %d times during the stall, want %d", n, asked)
			}
			if n := r.journal.InFlight("c"); n != 1 || len(r.calls) != 0 {
				t.Errorf("%d in flight and %d ended during the stall", n, len(r.calls))
			}
			for range 2 { // lifting is idempotent
				if err := injection.Lift(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got, end := caller.rest(); before+got != closing || end != "fin" {
				t.Errorf("after the lift the caller got %q and %s", got, end)
			}
			call := receive(t, r.calls, "the call")
			if call.Outcome != harness.CallAnswered || call.Fault == "" || call.Upstream != 201 {
				t.Errorf("journal says %+v", call)
			}
		})
	}
}

func TestPeerLeavesAStall(t *testing.T) {
	for cut, asked := range map[string]int{"before-forward": 0, "after-commit": 1, "headers": 1} {
		for _, action := range []string{"stall", "delay(1h)"} {
			t.Run(cut+" "+action, func(t *testing.T) {
				r := newRig(t, plain, nil)
				injection := r.inject(t, "payment#*:"+cut+":"+action)
				caller := dial(t, r.Addr())
				caller.send(charge())
				receive(t, injection.FiredC(), "the fault")
				_ = caller.Close()
				call := receive(t, r.calls, "the call")
				if call.Outcome != harness.CallPeerLeft || call.Upstream != 201*asked || call.Fault == "" {
					t.Errorf("journal says %+v", call)
				}
				if n := len(r.up.requests()); n != asked {
					t.Errorf("upstream was asked %d times, want %d", n, asked)
				}
			})
		}
	}
}

// The stall after the commit makes the outcome the same whether the link notices
// the leaving before the answer or after it.
func TestPeerLeavesWhileUpstreamWorks(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, plain, hold)
	r.inject(t, "payment#1:after-commit:stall")
	caller := dial(t, r.Addr())
	caller.send(charge())
	receive(t, r.up.arrived, "the request")
	_ = caller.SetLinger(0)
	_ = caller.Close()
	if n := r.journal.InFlight("c"); n != 1 {
		t.Errorf("%d in flight after the caller left, want 1", n)
	}
	close(hold)
	call := receive(t, r.calls, "the call")
	if call.Outcome != harness.CallPeerLeft || call.Upstream != 201 || call.Answered == 0 || call.Status != 0 {
		t.Errorf("journal says %+v", call)
	}
}

func TestCloseEndsStalls(t *testing.T) {
	r := newRig(t, plain, nil)
	injection := r.inject(t, "payment#1:before-forward:stall")
	caller := dial(t, r.Addr())
	caller.send(charge())
	receive(t, injection.FiredC(), "the stall")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if call := receive(t, r.calls, "the call"); call.Outcome != harness.CallClosed || len(r.up.requests()) != 0 {
		t.Errorf("journal says %+v", call)
	}
	if err := r.Close(); err != nil {
		t.Errorf("the second close: %v", err)
	}
}

func TestCloseEndsForwarding(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, plain, hold)
	caller := dial(t, r.Addr())
	caller.send(charge())
	receive(t, r.up.arrived, "the request")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	close(hold)
	if call := receive(t, r.calls, "the call"); call.Outcome != harness.CallClosed || call.Forwarded == 0 {
		t.Errorf("journal says %+v", call)
	}
}
