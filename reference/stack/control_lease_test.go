package stack

import (
	"errors"
	"io"
	"log"
	"testing"
	"time"
)

// A timer that fires while a renewal holds the mutex must not end the lease
// that was just renewed, nor a lease that came after its own.
func TestLateTimerEndsNothingElse(t *testing.T) {
	d := newDependencies(map[string]string{payment: "http://127.0.0.1:2"}, time.Second, log.New(io.Discard, "", 0))
	defer d.close()
	attached := map[string]string{payment: attachedURL}
	id, err := d.attach(t.Context(), attached, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	old := d.lease
	if _, err := d.renew(id); err != nil {
		t.Fatal(err)
	}
	d.expire(old)
	if d.current()[payment] != attachedURL {
		t.Error("a timer of before the renewal ended the lease")
	}

	if err := d.release(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := d.attach(t.Context(), attached, time.Hour); err != nil {
		t.Fatal(err)
	}
	old.expires = time.Time{}
	d.expire(old)
	if d.current()[payment] != attachedURL {
		t.Error("the timer of a released lease ended its successor")
	}
	if _, err := d.renew(id); !errors.Is(err, errNoLease) {
		t.Errorf("the released lease was renewed: %v", err)
	}

	d.lease.expires = time.Time{}
	d.expire(d.lease)
	if d.current()[payment] != "http://127.0.0.1:2" {
		t.Error("an expired lease still holds")
	}
}
