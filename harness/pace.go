package harness

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Pace is an open model of load: requests that are due at fixed times, whatever
// became of those before. That suits latency: a system that answers slowly is
// asked no less often for it, and how long a request took counts from when it
// was due.
type Pace struct {
	Requests int
	Every    time.Duration // between two that are due
	// Most is how many may be under way at once. One that is due beyond that waits,
	// and its wait counts.
	Most int
}

// Paced sends what attempt returns for each number from 1, when it is due. It
// returns once all are answered or given up; what became of them is in the
// history. An error says that it did not get to send all of them.
func (s *Series) Paced(ctx context.Context, p Pace, attempt func(n int) (*Case, Attempt)) error {
	start := time.Now()
	free := make(chan struct{}, p.Most)
	var sending sync.WaitGroup
	defer sending.Wait()
	for n := 1; n <= p.Requests; n++ {
		due := start.Add(time.Duration(n) * p.Every)
		if err := s.Watch(ctx, time.Until(due)); err != nil {
			return fmt.Errorf("send request %d of %d: %w", n, p.Requests, err)
		}
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("send request %d of %d: %w", n, p.Requests, context.Cause(ctx))
		}
		c, a := attempt(n)
		a.Due = due
		sending.Go(func() {
			defer func() { <-free }()
			s.Send(ctx, c, a)
		})
	}
	return nil
}
