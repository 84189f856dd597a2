package checkout

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
)

// status handles GET /checkout/{requestId}. It reads and does nothing else.
func (s *Service) status(ctx context.Context, caller auth.Principal, requestID, id string) Answer {
	ctx, cancel := context.WithTimeout(ctx, s.Policy.StoreTimeout)
	defer cancel()
	r, err := s.Store.Load(ctx, requestID)
	switch {
	case errors.Is(err, ErrUnknown):
		return s.NotFound(requestID, id)
	case err != nil:
		s.Log.Error("cannot read a checkout", "correlationId", id, "error", err)
		return unavailable("", id)
	}
	switch s.Authorize(caller, r) {
	case Granted:
		return described(r)
	case Forbidden:
		return forbidden(id)
	}
	return s.NotFound(requestID, id)
}

func described(r Record) Answer {
	return respond(http.StatusOK, struct {
		RequestID     string    `json:"requestId"`
		OrderID       string    `json:"orderId,omitempty"`
		State         State     `json:"state"`
		AttemptCount  int       `json:"attemptCount"`
		UpdatedAt     time.Time `json:"updatedAt"`
		CorrelationID string    `json:"correlationId"`
		Code          string    `json:"code,omitempty"`
	}{r.RequestID, r.OrderID, r.State, r.AttemptCount, r.UpdatedAt.UTC(), r.CorrelationID, r.Code})
}
