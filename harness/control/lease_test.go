package control

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// settable is a target whose clock and flag are set by requests, and which puts
// them back by itself when their lease is over, which the test says.
type settable struct {
	mu     sync.Mutex
	offset int64
	on     bool
	leases []string // as they came, in order
	back   func()
}

func (s *settable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	offset, on := s.offset, s.on
	switch r.URL.Path {
	case "/clock/set":
		_, _ = fmt.Sscan(r.URL.Query().Get("offset"), &s.offset)
		s.leased(r.URL.Query().Get("lease"), func() { s.offset = offset })
	case "/flag/on", "/flag/off":
		var asked struct{ LeaseMs json.Number }
		_ = json.Unmarshal(body, &asked)
		s.on = r.URL.Path == "/flag/on"
		s.leased(asked.LeaseMs.String(), func() { s.on = on })
	case "/clock":
		fmt.Fprint(w, time.Now().Add(time.Duration(s.offset)*time.Second).Unix())
	case "/flag":
		fmt.Fprint(w, s.on)
	}
}

// leased keeps what was before for the end of the lease, unless that is 0.
func (s *settable) leased(lease string, back func()) {
	s.leases, s.back = append(s.leases, lease), nil
	if lease != "0" {
		s.back = back
	}
}

// expire ends the lease, if there is one.
func (s *settable) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.back != nil {
		s.back()
	}
}

func (s *settable) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.leases)
}

func (s *settable) steps(t *testing.T) (*Clock, *Flag) {
	url := serve(t, s)
	body := func(vars map[string]any) ([]byte, error) {
		return json.Marshal(map[string]any{"leaseMs": vars["leaseMs"]})
	}
	clock := NewClock(Step{Method: "PUT", URL: url + "/clock/set?offset={{offset}}&lease={{leaseMs}}"}, Step{URL: url + "/clock"}, "", 0)
	flag := NewFlag(Step{URL: url + "/flag/on", Body: body}, Step{URL: url + "/flag/off", Body: body}, Step{URL: url + "/flag"}, "", 0)
	return clock, flag
}

// TestRequestsCarryALease: only what is changed has one; what is put back stays.
func TestRequestsCarryALease(t *testing.T) {
	for _, on := range []bool{false, true} {
		s := &settable{on: on}
		clock, flag := s.steps(t)
		for _, to := range []time.Duration{time.Hour, 2 * time.Hour, 0} {
			if _, err := clock.Move(t.Context(), to, 75*time.Second); err != nil {
				t.Error(err)
			}
		}
		for _, to := range []bool{!on, !on, on, on, !on, on} {
			if _, err := flag.Set(t.Context(), to, 75*time.Second); err != nil {
				t.Error(err)
			}
		}
		if got, want := strings.Join(s.seen(), " "), "75000 75000 0 75000 75000 0 0 75000 0"; got != want {
			t.Errorf("flag %t: leases %s, want %s", on, got, want)
		}
	}
}

// TestATargetPutsItselfBack: after a crash of ours nobody sends the way back.
func TestATargetPutsItselfBack(t *testing.T) {
	s := &settable{}
	clock, flag := s.steps(t)
	if _, err := clock.Move(t.Context(), time.Hour, time.Minute); err != nil {
		t.Error(err)
	}
	s.expire()
	if now, err := clock.read(t.Context()); err != nil || !now.meets(*clock.base) {
		t.Errorf("the clock is not back: %+v, %v", now, err)
	}
	if _, err := flag.Set(t.Context(), true, time.Minute); err != nil {
		t.Error(err)
	}
	s.expire()
	if on, err := flag.State(t.Context()); err != nil || on {
		t.Errorf("the flag is not back: %t, %v", on, err)
	}
	if clock.guard != nil || flag.guard != nil {
		t.Error("a shell guards what a request sets")
	}
}
