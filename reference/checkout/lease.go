package checkout

import (
	"context"
	"errors"
	"time"
)

// keepLease prolongs the lease of a record while work on it goes on, and ends
// the returned context with [ErrFenced] as its cause if the record was claimed
// by somebody else. The returned function must be called when the work is done.
func (s *Service) keepLease(ctx context.Context, requestID string, fence int64) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(s.Policy.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			storing, stop := s.storing(ctx)
			err := s.Store.Extend(storing, requestID, fence, s.Now().Add(s.Policy.Lease))
			stop()
			if errors.Is(err, ErrFenced) {
				cancel(ErrFenced)
			} else if err != nil {
				s.Log.Warn("cannot extend a lease", "requestId", requestID, "error", err)
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}
