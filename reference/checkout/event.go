package checkout

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

// The types of events. Each is what became of a request, once.
const (
	EventSucceeded    = "CHECKOUT_SUCCEEDED"
	EventFailed       = "CHECKOUT_FAILED"
	EventCancelled    = "CHECKOUT_CANCELLED"
	EventCancelFailed = "CHECKOUT_CANCELLATION_FAILED"
)

// eventSchema is the version of the payload's form.
const eventSchema = 1

// Event tells others that a record has become terminal. It is stored in the
// transaction in which that happens, and numbered there.
type Event struct {
	ID            string // a UUID
	Type          string
	SchemaVersion int
	Tenant        string
	Aggregate     string // request id of the checkout that it is about, also of one that is cancelled
	Payload       []byte // JSON; holds no payment token and nothing that the customer wrote
	CorrelationID string // of the request that began it
	OccurredAt    time.Time
}

// endOf returns the event of a record that has just become terminal. Its id is
// derived from the request id: a record ends once, so whoever writes its end
// again, not knowing whether that was done, writes the same event.
func endOf(r Record) *Event {
	// Encoding strings and a number cannot fail.
	payload, _ := json.Marshal(struct {
		RequestID string `json:"requestId"`
		State     State  `json:"state"`
		Code      string `json:"code,omitempty"`
		OrderID   string `json:"orderId,omitempty"`
		Amount    int64  `json:"amount"`
		Currency  string `json:"currency"`
	}{r.RequestID, r.State, r.Code, r.OrderID, r.Order.Amount, r.Order.Currency})
	e := &Event{ID: eventID(r.RequestID), Type: EventFailed, SchemaVersion: eventSchema, Tenant: r.Owner.Tenant,
		Aggregate: r.RequestID, Payload: payload, CorrelationID: r.CorrelationID, OccurredAt: r.TerminalAt}
	switch cancels := r.Cancels != ""; {
	case cancels && r.State == Succeeded:
		e.Type, e.Aggregate = EventCancelled, r.Cancels
	case cancels:
		e.Type, e.Aggregate = EventCancelFailed, r.Cancels
	case r.State == Succeeded:
		e.Type = EventSucceeded
	}
	return e
}

// eventID makes a UUID of version 8, the one for ids that are derived.
func eventID(requestID string) string {
	sum := sha256.Sum256([]byte(requestID + "\x00ended"))
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
