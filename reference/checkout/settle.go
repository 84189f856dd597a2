package checkout

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// succeed ends a checkout whose three results are known, or a cancellation.
func (w *worker) succeed(ctx context.Context) error {
	before := w.rec
	w.rec.State, w.rec.Code = Succeeded, ""
	receipt := ""
	if w.rec.Order.Receipt != "" && w.rec.Cancels == "" {
		receipt = w.Receipt(w.rec)
	}
	w.rec.Response = w.Result(w.rec, receipt)
	w.retain()
	return w.letGo(ctx, before, Released, time.Time{})
}

// settle decides what a failed step means for the checkout.
func (w *worker) settle(ctx context.Context, cause error) error {
	var no *refusal
	switch {
	case w.lost(ctx, cause):
		return errors.Join(cause, context.Cause(ctx))
	case errors.As(cause, &no) && !no.op.query && w.believed(no):
		return w.fail(ctx, no)
	case w.Recoverable(w.rec, w.attempts):
		return w.park(ctx)
	}
	before := w.rec
	w.rec.State, w.rec.Code = FailedRetryable, CodeUnavailable
	return w.await(ctx, before)
}

// believed reports whether a refusal is the last word on its operation: whether no
// call of ours may have been carried out nevertheless. What calls of earlier rounds
// did has been found out by asking. A refund cannot be asked for, so that one of
// unknown outcome, whenever it was made, is repeated until it is answered.
func (w *worker) believed(no *refusal) bool {
	if no.op == opRefund() {
		return !w.open(no.op, w.ever)
	}
	return no.declined() || !w.open(no.op, w.thisRun)
}

// lost reports whether we are no longer in a position to decide: the store did
// not take a write, another worker has the record, or the service stops.
func (w *worker) lost(ctx context.Context, cause error) bool {
	ended := context.Cause(ctx) // a deadline that has passed is no reason: that is for us to settle
	return errors.Is(cause, errUnsaved) || errors.Is(ended, ErrFenced) || errors.Is(ended, context.Canceled)
}

// park leaves the record to reconciliation, durably.
func (w *worker) park(ctx context.Context) error {
	before := w.rec
	w.rec.Code = CodePending
	return w.letGo(ctx, before, Parked, w.Now().Add(w.Policy.delay(w.rec.Run)))
}

// fail ends a checkout for good. The outcome is durable before the reservation
// and the charge are undone, so that a crash in between cannot revive it.
func (w *worker) fail(ctx context.Context, no *refusal) error {
	before := w.rec
	w.rec.State = FailedFinal
	if no.declined() {
		w.rec.Code, w.rec.Response = CodeDeclined, declined(w.rec)
	} else {
		w.Log.Error("refused for good", "requestId", w.rec.RequestID, "correlationId", w.rec.CorrelationID,
			"operation", no.op.name, "status", no.status)
		w.rec.Code, w.rec.Response = CodeValidation, refused(w.rec)
	}
	w.retain()
	if err := w.save(ctx); err != nil {
		return err
	}
	w.audit(before, w.rec)
	return w.cleanUp(ctx)
}

// cleanUp undoes what a failed checkout did. Where that does not succeed now, it
// is due again later. A cancellation did nothing that could be undone: the charge
// and the reservation in its record are those of the checkout.
func (w *worker) cleanUp(ctx context.Context) error {
	if w.rec.Cancels != "" {
		return w.letGo(ctx, w.rec, Released, time.Time{})
	}
	if w.rec.ChargeID != "" {
		m := methodOf(w.rec.Order)
		if err := w.undo(ctx, m.undo, m.path+"/"+url.PathEscape(w.rec.ChargeID)+"/void"); err != nil {
			return w.later(ctx, err)
		}
	}
	if w.rec.ReservationID != "" {
		if err := w.undo(ctx, opRelease(), "/reservations/"+url.PathEscape(w.rec.ReservationID)+"/release"); err != nil {
			return w.later(ctx, err)
		}
	}
	return w.letGo(ctx, w.rec, Released, time.Time{})
}

// undo makes one call that takes back. What is gone or in another state has
// nothing left to be taken back. Any other refusal is about us and not about it: a
// token that has expired, a change of the dependency. What we did still stands
// then, and giving up would leave it to stand for good. The error is no [refusal],
// which would be the end of a cancellation whose refund was made.
func (w *worker) undo(ctx context.Context, op operation, path string) error {
	resp, err := w.post(ctx, op, path, struct{}{})
	if err != nil {
		return err
	}
	log := w.Log.With("requestId", w.rec.RequestID, "correlationId", w.rec.CorrelationID, "operation", op.name, "status", resp.Status)
	switch resp.Status {
	case http.StatusNotFound, http.StatusConflict, http.StatusGone:
		log.Warn("nothing to undo")
		return nil
	}
	if resp.Status < 200 || resp.Status > 299 {
		log.Error("not undone yet")
		return fmt.Errorf("%s was refused with %d, and has to be tried again", op.name, resp.Status)
	}
	return nil
}

func (w *worker) later(ctx context.Context, cause error) error {
	if w.lost(ctx, cause) {
		return errors.Join(cause, context.Cause(ctx))
	}
	return w.letGo(ctx, w.rec, Released, w.Now().Add(w.Policy.delay(w.rec.Run)))
}

// letGo saves the record, gives up its lease and makes it due at a time.
func (w *worker) letGo(ctx context.Context, before Record, lock Lock, due time.Time) error {
	w.rec.Lock, w.rec.LeaseUntil, w.rec.DueAt = lock, time.Time{}, due
	if err := w.save(ctx); err != nil {
		return err
	}
	w.audit(before, w.rec)
	return nil
}
