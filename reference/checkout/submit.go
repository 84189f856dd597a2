package checkout

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/oncecheck/oncecheck/reference/auth"
)

const (
	operationCheckout = "checkout"
	versionCheckout   = "v1"
)

// submit reserves the key and does the work, or answers for whoever did.
func (s *Service) submit(ctx context.Context, caller auth.Principal, key string, order Order, id string) Answer {
	now := s.Now()
	fresh := Record{
		RequestID:     rand.Text(),
		Scope:         s.Scope(caller, operationCheckout, versionCheckout, key),
		Owner:         Owner{caller.Tenant, caller.Subject},
		Fingerprint:   s.Fingerprint(order),
		Order:         order,
		CorrelationID: id,
		State:         Pending,
		Lock:          InProgress,
		Fence:         1,
		LeaseUntil:    now.Add(s.Policy.Lease),
		DueAt:         now.Add(s.Policy.Lease),
		Run:           1,
		CreatedAt:     now,
		UpdatedAt:     now,
	}
	stored, created, err := s.reserve(ctx, fresh)
	if err != nil {
		s.Log.Error("cannot reserve a key", "correlationId", id, "error", err)
		return unavailable("", id)
	}
	if !created {
		return s.repeat(ctx, stored, fresh.Fingerprint, id)
	}
	s.audit(Record{}, stored)
	return s.finish(ctx, stored, nil, id)
}

// repeat answers a request whose key is in use. That another fingerprint is a
// conflict comes first: it is true whatever the record's state.
func (s *Service) repeat(ctx context.Context, stored Record, fingerprint, id string) Answer {
	switch {
	case stored.Fingerprint != fingerprint:
		return s.Conflict(ctx, stored, id)
	case stored.State.Terminal():
		return s.Replay(ctx, stored)
	case stored.LeaseUntil.After(s.Now()):
		return s.Busy(ctx, stored, id)
	case stored.Lock == Parked:
		return pending(stored)
	}
	// FAILED_RETRYABLE, or left behind by a worker that died: carry on with it.
	claimed, attempts, err := s.claim(ctx, stored.RequestID)
	switch {
	case errors.Is(err, ErrHeld):
		return s.Busy(ctx, stored, id)
	case err != nil:
		s.Log.Error("cannot resume", "requestId", stored.RequestID, "correlationId", id, "error", err)
		return unavailable(stored.RequestID, id)
	}
	s.audit(stored, claimed)
	return s.finish(ctx, claimed, attempts, id)
}

// finish works on a record that is ours and answers for what became of it.
func (s *Service) finish(ctx context.Context, r Record, attempts []Attempt, id string) Answer {
	done, err := s.work(ctx, r, attempts)
	switch {
	case errors.Is(err, ErrFenced):
		return s.Busy(ctx, done, id)
	case err != nil: // the store is gone or we are shutting down: the lease will run out
		s.Log.Error("cannot finish", "requestId", r.RequestID, "correlationId", r.CorrelationID, "error", err)
		return unavailable(r.RequestID, r.CorrelationID)
	case done.State.Terminal():
		return done.Response
	case done.Lock == Parked:
		return pending(done)
	}
	return unavailable(done.RequestID, done.CorrelationID)
}
