package checkout

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
)

// cancel handles POST /checkout/{requestId}/cancel up to the point where a record
// exists. A cancellation is a request of its own, with a record under a key of its
// own: what it did is known and repeated like everything else that moves money.
// The record of the checkout is left as it is, for its replays tell what was.
func (s *Service) cancel(w http.ResponseWriter, r *http.Request, caller auth.Principal, requestID, id string) Answer {
	ctx, cancel := s.detach(r.Context())
	defer cancel()
	key, body, err := s.readKeyed(w, r)
	if err != nil {
		return invalid(err, id)
	}
	if text := strings.TrimSpace(string(body)); text != "" && text != "{}" {
		return invalid(errors.New("a cancellation has no body, or an empty object"), id)
	}
	sold, err := s.load(ctx, requestID)
	if err != nil {
		return s.unread(requestID, id, err)
	}
	switch access := s.Authorize(caller, sold); {
	case access == Hidden:
		return s.NotFound(requestID, id)
	case access == Forbidden || caller.Subject != sold.Owner.Subject: // support may look, and no more
		return forbidden(id)
	case sold.Cancels != "":
		return uncancellable("it is a cancellation", id)
	case sold.State != Succeeded:
		return uncancellable("it has not succeeded", id)
	case methodOf(sold.Order).pay.keyless:
		return uncancellable("what the bank transferred is given back by the bank only", id)
	}
	asked := Request{Order: sold.Order, Cancels: sold.RequestID, Header: r.Header, Body: body}
	return s.submit(ctx, caller, key, Record{Version: versionOne, Cancels: sold.RequestID, Order: sold.Order,
		ChargeID: sold.ChargeID, ReservationID: sold.ReservationID, Fingerprint: s.Fingerprint(asked)}, id)
}

// reverse is the work of a cancellation: the money first, which is what the
// customer waits for. Neither call has a result that would have to be known to
// carry on after a crash: it is made again, under the same key.
func (w *worker) reverse(ctx context.Context) error {
	if err := w.refund(ctx); err != nil {
		return err
	}
	return w.undo(ctx, opRelease(), "/reservations/"+url.PathEscape(w.rec.ReservationID)+"/release")
}

// refund gives the money back. Once that was answered it is not asked for again
// while the release has to wait: a provider that no longer knows the key would
// refuse it, and that would be believed.
func (w *worker) refund(ctx context.Context) error {
	if w.done(opRefund()) {
		return nil
	}
	resp, err := w.post(ctx, opRefund(), "/charges/"+url.PathEscape(w.rec.ChargeID)+"/refund", struct{}{})
	if err != nil {
		return err
	}
	_, err = created(opRefund(), resp)
	if errors.Is(err, errUnclear) {
		w.doubt(opRefund())
	}
	return err
}

// cancellation is what a status tells of the cancellation of a checkout.
type cancellation struct {
	RequestID string    `json:"requestId"`
	State     State     `json:"state"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// cancelled returns the cancellation of a checkout, or nil if there is none.
func (s *Service) cancelled(ctx context.Context, r Record) (*cancellation, error) {
	c, err := s.Store.Cancellation(ctx, r.RequestID)
	if errors.Is(err, ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &cancellation{c.RequestID, c.State, c.UpdatedAt.UTC()}, nil
}

func uncancellable(why, id string) Answer {
	return respond(http.StatusUnprocessableEntity,
		failure{CodeValidation, "this checkout cannot be cancelled: " + why, id, false, ""})
}
