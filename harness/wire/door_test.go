package wire_test

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestDoors: one link with two doors counts over both, its faults meet exchanges
// at either, and callers meet whichever they take.
func TestDoors(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, plain, hold)
	beside := newUpstream(t, closing, hold)
	door, err := r.OpenDoor(beside.url(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = door.Close() }()
	injection := r.inject(t, "payment/charge#3:before-forward:status(503,7)")
	r.Meet("c", 2)
	first, second := dial(t, r.Addr()), dial(t, door.Addr())
	first.send(charge())
	second.send(charge())
	receive(t, r.up.arrived, "the request at the first")
	receive(t, beside.arrived, "the request at the second")
	close(hold)
	first.expect(plain)
	second.expect(plain)
	instances := map[int]int{}
	for range 2 {
		call := receive(t, r.calls, "a call")
		instances[call.Instance] += call.Index
	}
	if len(instances) != 2 || instances[0]+instances[1] != 3 {
		t.Errorf("exchanges were counted %v", instances)
	}
	second.send(charge("Connection: close"))
	if got, _ := second.rest(); got != injected || injection.Fired() != 1 {
		t.Errorf("the caller got %q, and the fault fired %d times", got, injection.Fired())
	}
	if call := receive(t, r.calls, "the call"); call.Index != 3 || call.Instance != 1 || call.Outcome != harness.CallAnswered {
		t.Errorf("journal says %+v", call)
	}
}

func TestDoorToNowhere(t *testing.T) {
	r := newRig(t, plain, nil)
	if _, err := r.OpenDoor("nonsense", 1); err == nil {
		t.Error("it opened")
	}
}
