package harness

import (
	"context"
	"sync"
	"testing"
	"time"
)

// slowly answers each request after a time, and keeps how late each was sent.
type slowly struct {
	takes time.Duration
	mu    sync.Mutex
	late  []time.Duration
}

func (s *slowly) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	s.mu.Lock()
	s.late = append(s.late, time.Since(a.Due))
	s.mu.Unlock()
	select {
	case <-time.After(s.takes):
		return Request{}, Answer{Status: 201}, nil
	case <-ctx.Done():
		return Request{}, Answer{}, ctx.Err()
	}
}

// TestPaced: requests go out when they are due, whatever became of the earlier
// ones; where too many are under way they wait, and that counts.
func TestPaced(t *testing.T) {
	for name, test := range map[string]struct {
		most int
		late time.Duration // of the last request
	}{
		"nobody waits":      {5, 0},
		"one after another": {1, 4 * 2 * time.Second},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			sender := &slowly{takes: 3 * time.Second}
			target := &Target{Clock: NewClock(), Sender: sender}
			target.Info.Policy = RequiredPolicy()
			rec, err := NewRecorder(t.TempDir(), Header{Scenario: "s"}, target.Clock, NewRedactor(nil))
			if err != nil {
				t.Fatal(err)
			}
			s := &Series{Session: newSession(target, &runState{id: "run", clock: target.Clock, owner: map[string]string{}}, "s", rec)}
			c := s.Case("c")
			if err := s.Paced(t.Context(), Pace{Requests: 5, Every: time.Second, Most: test.most}, func(int) (*Case, Attempt) { return c, Attempt{} }); err != nil {
				t.Fatal(err)
			}
			if err := rec.Close(); err != nil {
				t.Fatal(err)
			}
			if len(sender.late) != 5 || sender.late[4] != test.late {
				t.Errorf("late by %v, want the last by %s", sender.late, test.late)
			}
		}))
	}
}
