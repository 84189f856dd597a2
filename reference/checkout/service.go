package checkout

import (
	"context"
	"errors"
	"fmt"

	"github.com/oncecheck/oncecheck/reference/client"
)

// Service is the checkout. It is an [http.Handler]; [Service.Run] must run
// beside it.
type Service struct {
	Config
	client  *client.Client
	keys    adoption
	stopped context.Context
	stop    context.CancelFunc
}

// New returns a Service made of cfg.
func New(cfg Config) (*Service, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	keys, err := measure(cfg.Meter)
	if err != nil {
		return nil, err
	}
	s := &Service{Config: cfg, client: client.New(cfg.Client), keys: keys}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Stop makes all work under way give up soon. Its records stay claimed until
// their leases run out; then any instance carries on.
func (s *Service) Stop() {
	s.stop()
	s.client.CloseIdle()
}

// Redirect sends calls that start from now on to other base URLs.
func (s *Service) Redirect(urls map[string]string) {
	s.Directory.Set(urls)
	s.client.CloseIdle()
}

// detach returns the context of a piece of work: it has our deadline and not the
// caller's patience.
func (s *Service) detach(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(s.Detach(ctx), s.Policy.Deadline)
	undo := context.AfterFunc(s.stopped, cancel)
	return ctx, func() { undo(); cancel() }
}

// storing bounds one store operation. Writing down what happened must still be
// possible when the time for doing things is over.
func (s *Service) storing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.Policy.StoreTimeout)
}

// reserve inserts the record. An insert that failed may have happened all the
// same, so it is tried once more: a record with our request id is our own, not
// somebody else's claim, whichever of the two inserts made it.
func (s *Service) reserve(ctx context.Context, fresh Record) (Record, bool, error) {
	ctx, cancel := s.storing(ctx)
	defer cancel()
	stored, created, err := s.Store.Reserve(ctx, fresh)
	if indeterminate(err) && ctx.Err() == nil {
		stored, created, err = s.Store.Reserve(ctx, fresh)
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("reserve the key of request %s: %w", fresh.RequestID, err)
	}
	return stored, created || stored.RequestID == fresh.RequestID, nil
}

// indeterminate reports whether an insert may have happened although it failed:
// the store itself knows of two that did not.
func indeterminate(err error) bool {
	return err != nil && !errors.Is(err, ErrExpired) && !errors.Is(err, ErrCancelled)
}

// claim takes over a record together with the attempts that were made so far.
func (s *Service) claim(ctx context.Context, requestID string) (Record, []Attempt, error) {
	ctx, cancel := s.storing(ctx)
	defer cancel()
	now := s.Now()
	r, err := s.Store.Claim(ctx, requestID, now, now.Add(s.Policy.Lease))
	if err != nil {
		return Record{}, nil, fmt.Errorf("claim checkout %s: %w", requestID, err)
	}
	attempts, err := s.Store.Attempts(ctx, requestID)
	if err != nil {
		return Record{}, nil, fmt.Errorf("read the attempts of checkout %s: %w", requestID, err)
	}
	return r, attempts, nil
}

// audit leaves a record of a change of state or lock.
func (s *Service) audit(from, to Record) {
	if from.State == to.State && from.Lock == to.Lock {
		return
	}
	s.Log.Info("state", "requestId", to.RequestID, "correlationId", to.CorrelationID,
		"from", from.State, "to", to.State, "lock", to.Lock, "run", to.Run, "attemptCount", to.AttemptCount)
}
