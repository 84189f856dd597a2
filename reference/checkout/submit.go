package checkout

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/oncecheck/oncecheck/reference/auth"
)

// The operations and versions, as scopes tell them apart.
const (
	operationCheckout = "checkout"
	operationCancel   = "cancel"
	versionOne        = "v1"
	versionTwo        = "v2"
)

// operation is what a record is the record of.
func (r Record) operation() string {
	if r.Cancels != "" {
		return operationCancel
	}
	return operationCheckout
}

// submit reserves the key for what is asked and does the work, or answers for
// whoever did.
func (s *Service) submit(ctx context.Context, caller auth.Principal, key string, asked Record, id string) Answer {
	now, fresh := s.Now(), asked
	fresh.RequestID, fresh.CorrelationID = rand.Text(), id
	fresh.Scope = s.Scope(caller, asked.operation(), asked.Version, key)
	fresh.Owner = Owner{caller.Tenant, caller.Subject}
	fresh.PaymentKey = s.paymentKey(fresh)
	fresh.State, fresh.Lock, fresh.Fence, fresh.Run = Pending, InProgress, 1, 1
	fresh.LeaseUntil, fresh.DueAt = now.Add(s.Policy.Lease), now.Add(s.Policy.Lease)
	fresh.CreatedAt, fresh.UpdatedAt = now, now
	stored, created, err := s.reserve(ctx, fresh)
	switch {
	case errors.Is(err, ErrExpired):
		return expired(id)
	case errors.Is(err, ErrCancelled):
		return uncancellable("it is cancelled already, or about to be, under another key", id)
	}
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
	return s.Unfinished(ctx, done)
}
