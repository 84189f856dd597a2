package checkout

import (
	"context"
	"time"
)

// purgeBatch bounds how many records one transaction replaces by tombstones, so
// that requests need not wait long for the store.
const purgeBatch = 200

// purge replaces what has expired by tombstones, batch after batch. There is no
// hurry: an expired key is refused from the moment on in which it expires.
func (s *Service) purge(ctx context.Context) {
	for n := purgeBatch; n == purgeBatch && ctx.Err() == nil; {
		n = s.purgeSome(ctx)
	}
}

// purgeSome purges one batch and returns how many records that were.
func (s *Service) purgeSome(ctx context.Context) int {
	ctx, cancel := s.storing(ctx)
	defer cancel()
	n, err := s.Store.Purge(ctx, s.Now(), purgeBatch)
	if err != nil {
		s.Log.Warn("cannot purge expired checkouts", "error", err)
	}
	if n > 0 {
		s.Log.Info("purged", "records", n)
	}
	return n
}

// retain stamps a record that has just become terminal.
func (w *worker) retain() {
	w.rec.TerminalAt = w.Now()
	w.rec.ExpiresAt = w.rec.TerminalAt.Add(w.Policy.Retention)
}

// await lets a failed checkout wait for the caller to resume it. It waits no
// longer than an ended one is kept: then it is due, to be abandoned.
func (w *worker) await(ctx context.Context, before Record) error {
	w.rec.ExpiresAt = w.Now().Add(w.Policy.Retention)
	return w.letGo(ctx, before, Released, w.rec.ExpiresAt)
}

// overdue reports whether nobody resumed the record in time.
func (w *worker) overdue() bool {
	return !w.rec.ExpiresAt.IsZero() && !w.rec.ExpiresAt.After(w.Now())
}

// abandon ends a failed checkout that nobody resumed: what it holds is given
// back, and then it may be purged. One that may have had an effect of which
// nobody can tell is kept: its record is all that is known of it.
func (w *worker) abandon(ctx context.Context) error {
	before := w.rec
	if w.mystery() {
		w.Log.Error("nobody resumed it, and nobody can tell what it did", "requestId", w.rec.RequestID, "correlationId", w.rec.CorrelationID)
		w.rec.State, w.rec.Code, w.rec.ExpiresAt = FailedRetryable, CodeUnavailable, time.Time{}
		return w.letGo(ctx, before, Released, time.Time{})
	}
	w.rec.State, w.rec.Code, w.rec.TerminalAt = FailedFinal, CodeUnavailable, w.Now()
	w.rec.Response = expired(w.rec.CorrelationID) // for the one who came back just then
	if err := w.save(ctx); err != nil {
		return err
	}
	w.audit(before, w.rec)
	return w.cleanUp(ctx)
}

// mystery reports whether the record may have had an effect that is not known.
func (w *worker) mystery() bool {
	if w.rec.Cancels != "" {
		return w.open(opRefund(), w.ever)
	}
	return w.rec.ChargeID == "" && w.open(methodOf(w.rec.Order).pay, w.ever) ||
		w.rec.ReservationID == "" && w.open(opReserve(), w.ever) ||
		w.rec.OrderID == "" && w.open(opOrder(), w.ever)
}
