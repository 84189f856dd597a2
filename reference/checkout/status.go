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
	r, err := s.load(ctx, requestID)
	if err != nil {
		return s.unread(requestID, id, err)
	}
	switch s.Authorize(caller, r) {
	case Granted:
		since, err := s.cancelled(ctx, r)
		if err != nil {
			return s.unread(requestID, id, err)
		}
		return described(r, since)
	case Forbidden:
		return forbidden(id)
	}
	return s.NotFound(requestID, id)
}

func (s *Service) load(ctx context.Context, requestID string) (Record, error) {
	ctx, cancel := s.storing(ctx)
	defer cancel()
	return s.Store.Load(ctx, requestID)
}

// unread answers where a record could not be read.
func (s *Service) unread(requestID, id string, err error) Answer {
	if errors.Is(err, ErrUnknown) {
		return s.NotFound(requestID, id)
	}
	s.Log.Error("cannot read a checkout", "correlationId", id, "error", err)
	return unavailable("", id)
}

func described(r Record, since *cancellation) Answer {
	return respond(http.StatusOK, struct {
		RequestID     string    `json:"requestId"`
		OrderID       string    `json:"orderId,omitempty"`
		State         State     `json:"state"`
		AttemptCount  int       `json:"attemptCount"`
		UpdatedAt     time.Time `json:"updatedAt"`
		CorrelationID string    `json:"correlationId"`
		Code          string    `json:"code,omitempty"`

		Cancels      string        `json:"cancels,omitempty"`
		Cancellation *cancellation `json:"cancellation,omitempty"`
	}{r.RequestID, r.OrderID, r.State, r.AttemptCount, r.UpdatedAt.UTC(), r.CorrelationID, r.Code, r.Cancels, since})
}
