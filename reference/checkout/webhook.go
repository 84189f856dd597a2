package checkout

import (
	"encoding/json"
	"errors"
	"net/http"
)

// pathWebhook is where the payment provider tells what became of a payment.
const pathWebhook = "/webhooks/payment"

// notified handles POST of a webhook. The provider tells the outcome of a payment
// when it likes: while the request that asked for it is still waiting for its
// answer, twice, or after everything is over. A handler that went on with the
// checkout would be a second worker without a lease, and what it captures or
// orders would be there twice. So a webhook does one thing: a record that waits for
// reconciliation is due at once. Whoever claims it then does so under a lease, and
// asks the provider what is true; what the webhook says of that is not even read.
// A record that somebody works on is left to him, since he asks before he gives up,
// and one that is over has nothing left to do. Hence no webhook has to be
// remembered, and a repeated one is as good as the first.
//
// An answer of the 200s says that the provider need not tell again: the wish is in
// the store, or there is nothing to wish for.
func (s *Service) notified(w http.ResponseWriter, r *http.Request, id string) Answer {
	body, err := readBody(w, r)
	if err != nil {
		return invalid(errors.New("the body is incomplete, too slow or longer than 1 MiB"), id)
	}
	// The signature is over the bytes as they came, so it is looked at before
	// anything is made of them.
	if err := s.Webhooks.verify(body, r.Header); err != nil {
		answer, reason := unsigned(err, id)
		s.Log.Warn("a webhook that is not the provider's", "correlationId", id, "reason", reason)
		return answer
	}
	var told struct {
		Data struct {
			Key string `json:"key"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &told); err != nil || told.Data.Key == "" {
		return invalid(errors.New("a webhook is an object that names a payment by data.key"), id)
	}
	ctx, cancel := s.storing(r.Context())
	defer cancel()
	woken, err := s.Store.Wake(ctx, told.Data.Key, s.Now())
	switch {
	case errors.Is(err, ErrUnknown): // the provider took money for something that we know nothing of
		s.Log.Warn("a webhook about a payment that nobody knows", "correlationId", id)
		return NotFound("", id)
	case err != nil:
		s.Log.Error("cannot wake a checkout", "correlationId", id, "error", err)
		return unavailable("", id)
	}
	s.Log.Info("webhook", "requestId", woken.RequestID, "correlationId", woken.CorrelationID, "state", woken.State, "lock", woken.Lock)
	return acknowledged(woken)
}

// acknowledged tells the provider what its webhook came to, and nothing about the
// checkout that it does not know.
func acknowledged(r Record) Answer {
	status, message := http.StatusOK, "there is nothing left to be found out"
	switch {
	case r.Lock == Parked:
		status, message = http.StatusAccepted, "the payment will be asked for at once"
	case r.Lock == InProgress:
		message = "it is being worked on, and the payment asked for where that is needed"
	case !r.State.Terminal():
		message = "it goes on when the customer repeats it"
	}
	return respond(status, struct {
		Message string `json:"message"`
	}{message})
}

// paymentKey is the key under which the payment provider knows the payment of a
// checkout. The bank takes no keys, and tells nobody anything.
func (s *Service) paymentKey(r Record) string {
	if pay := methodOf(r.Order).pay; r.Cancels == "" && !pay.keyless {
		return s.ProviderKey(r, pay.name)
	}
	return ""
}
