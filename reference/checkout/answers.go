package checkout

import (
	"context"
	"encoding/json"
	"net/http"
)

// The public error codes.
const (
	CodeValidation      = "VALIDATION_ERROR"
	CodeConflict        = "IDEMPOTENCY_CONFLICT"
	CodeInProgress      = "REQUEST_IN_PROGRESS"
	CodePending         = "CHECKOUT_PENDING"
	CodeDeclined        = "PAYMENT_DECLINED"
	CodeUnavailable     = "SERVICE_UNAVAILABLE"
	CodeUnauthenticated = "UNAUTHENTICATED"
	CodeForbidden       = "FORBIDDEN"
	CodeNotFound        = "NOT_FOUND"
)

// retryAfter is the guidance given with every "not now", in seconds.
const retryAfter = "1"

type failure struct {
	Code          string `json:"code"`
	Message       string `json:"message"`
	CorrelationID string `json:"correlationId"`
	Retryable     bool   `json:"retryable"`
	RequestID     string `json:"requestId,omitempty"`
}

// respond builds an answer. Headers are given as name, value, name, value.
func respond(status int, body any, headers ...string) Answer {
	raw, err := json.Marshal(body)
	if err != nil {
		panic("an answer of strings and numbers is always JSON: " + err.Error())
	}
	a := Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: append(raw, '\n')}
	for i := 0; i < len(headers); i += 2 {
		a.Header.Set(headers[i], headers[i+1])
	}
	return a
}

func location(requestID string) string { return "/checkout/" + requestID }

func unauthenticated(id string) Answer {
	return respond(http.StatusUnauthorized, failure{CodeUnauthenticated, "a valid bearer token is required", id, false, ""},
		"WWW-Authenticate", "Bearer")
}

func invalid(why error, id string) Answer {
	return respond(http.StatusBadRequest, failure{CodeValidation, why.Error(), id, false, ""})
}

// expired refuses a key whose checkout nobody knows the outcome of any more. To
// run it as a new one could charge a late retry a second time.
func expired(id string) Answer {
	return respond(http.StatusUnprocessableEntity,
		failure{CodeValidation, "this key has expired: what it was used for is too long ago to be repeated", id, false, ""})
}

// unavailable answers before a record exists, or when nobody can say how it is.
func unavailable(requestID, id string) Answer {
	headers := []string{"Retry-After", retryAfter}
	if requestID != "" {
		headers = append(headers, "Location", location(requestID))
	}
	return respond(http.StatusServiceUnavailable,
		failure{CodeUnavailable, "the checkout cannot be completed now; repeat it with the same key", id, true, requestID}, headers...)
}

// result is the body of a success. Version 2 tells what was charged, too.
type result struct {
	RequestID     string `json:"requestId"`
	OrderID       string `json:"orderId,omitempty"`
	Cancels       string `json:"cancels,omitempty"`
	State         State  `json:"state"`
	AttemptCount  int    `json:"attemptCount"`
	CorrelationID string `json:"correlationId"`
	Amount        int64  `json:"amount,omitempty"`
	Currency      string `json:"currency,omitempty"`
	Receipt       string `json:"receipt,omitempty"`
}

// Result is the default [Config.Result].
func Result(r Record, receipt string) Answer {
	told := result{RequestID: r.RequestID, OrderID: r.OrderID, Cancels: r.Cancels, State: r.State,
		AttemptCount: r.AttemptCount, CorrelationID: r.CorrelationID, Receipt: receipt}
	if r.Version == versionTwo {
		told.Amount, told.Currency = r.Order.Amount, r.Order.Currency
	}
	return respond(http.StatusCreated, told, "Location", location(r.RequestID))
}

// declined is the stored answer of a checkout that the payment provider refused.
func declined(r Record) Answer {
	return respond(http.StatusPaymentRequired,
		failure{CodeDeclined, "the payment was declined", r.CorrelationID, false, r.RequestID}, "Location", location(r.RequestID))
}

// refused is the stored answer of a checkout that a dependency refused for good.
// Of the public codes only this one is both final and not about payment; a 503
// would invite retries that can bring nothing new.
func refused(r Record) Answer {
	return respond(http.StatusUnprocessableEntity,
		failure{CodeValidation, "the order was refused", r.CorrelationID, false, r.RequestID}, "Location", location(r.RequestID))
}

// pending answers for a record that is durably parked.
func pending(r Record) Answer {
	return respond(http.StatusAccepted, struct {
		RequestID     string `json:"requestId"`
		State         State  `json:"state"`
		AttemptCount  int    `json:"attemptCount"`
		CorrelationID string `json:"correlationId"`
		Code          string `json:"code"`
		Message       string `json:"message"`
		Retryable     bool   `json:"retryable"`
	}{r.RequestID, r.State, r.AttemptCount, r.CorrelationID, CodePending, "the outcome is being established", true},
		"Retry-After", retryAfter, "Location", location(r.RequestID))
}

// Replay is the default [Config.Replay]: the stored answer, byte for byte.
func Replay(_ context.Context, r Record) Answer { return r.Response }

// Unfinished is the default [Config.Unfinished]: not now, under which id to look,
// and that the same key may be tried again.
func Unfinished(_ context.Context, r Record) Answer { return unavailable(r.RequestID, r.CorrelationID) }

// Busy is the default [Config.Busy]: not now, and nothing about the original.
func Busy(_ context.Context, _ Record, id string) Answer {
	return respond(http.StatusConflict,
		failure{CodeInProgress, "a request with this key is being worked on; repeat this one later", id, true, ""},
		"Retry-After", retryAfter)
}

// Conflict returns a [Config.Conflict] that answers with status and nothing
// about the original. The specification's status is 409; some APIs use 422.
func Conflict(status int) func(context.Context, Record, string) Answer {
	return func(_ context.Context, _ Record, id string) Answer {
		return respond(status, failure{CodeConflict, "this key was used for another request; use a new key", id, false, ""})
	}
}

// NotFound is the default [Config.NotFound].
func NotFound(_, id string) Answer {
	return respond(http.StatusNotFound, failure{CodeNotFound, "there is nothing here", id, false, ""})
}

func forbidden(id string) Answer {
	return respond(http.StatusForbidden, failure{CodeForbidden, "this checkout belongs to somebody else", id, false, ""})
}
