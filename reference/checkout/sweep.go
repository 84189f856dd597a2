package checkout

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

// maxSweep bounds how many records one instance works on by itself at a time.
const maxSweep = 16

// Run finds records that are due, because they were parked, left by a worker
// that died, not yet cleaned up after, or not resumed by anybody, and advances
// them; and it purges what has expired. It returns when ctx ends and the work under
// way has stopped.
func (s *Service) Run(ctx context.Context) {
	var group errgroup.Group
	group.SetLimit(maxSweep)
	defer func() { _ = group.Wait() }() // what it runs reports through the records
	tick := time.NewTicker(s.Policy.Reconcile)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.purge(ctx)
		due, err := s.due(ctx)
		if err != nil {
			s.Log.Warn("cannot look for due checkouts", "error", err)
		}
		for _, requestID := range due {
			group.Go(func() error {
				s.guard("", func() { s.resume(ctx, requestID) })
				return nil
			})
		}
	}
}

func (s *Service) due(ctx context.Context) ([]string, error) {
	ctx, cancel := s.storing(ctx)
	defer cancel()
	return s.Store.Due(ctx, s.Now(), 4*maxSweep)
}

// resume advances one due record, unless another worker was faster.
func (s *Service) resume(ctx context.Context, requestID string) {
	ctx, cancel := context.WithTimeout(ctx, s.Policy.Deadline)
	defer cancel()
	claimed, attempts, err := s.claim(ctx, requestID)
	if err == nil {
		_, err = s.work(ctx, claimed, attempts)
	}
	if err != nil && !errors.Is(err, ErrHeld) {
		s.Log.Warn("cannot resume", "requestId", requestID, "error", err)
	}
}
