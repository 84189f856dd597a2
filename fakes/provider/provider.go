package provider

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// Provider is the payment provider, the inventory, the order system and the
// catalog with their common ledger. It is safe for concurrent use.
type Provider struct {
	now func() time.Time

	mu           sync.Mutex // guards all below, see the package comment
	ledger       []Entry
	keys         map[routeKey]memory
	payments     map[string]*payment
	reservations map[string]*reservation
	orders       map[string]order
}

// Option changes how a Provider is made.
type Option func(*Provider)

// WithClock sets the clock of [Entry.At]; the default is time.Now.
func WithClock(now func() time.Time) Option { return func(p *Provider) { p.now = now } }

// New returns a Provider with an empty ledger.
func New(opts ...Option) *Provider {
	p := &Provider{
		now:          time.Now,
		keys:         map[routeKey]memory{},
		payments:     map[string]*payment{},
		reservations: map[string]*reservation{},
		orders:       map[string]order{},
	}
	for _, opt := range opts {
		opt(p)
	}
	return p
}

// Payment serves charges and authorizations:
//
//	POST /charges {reference, amount, currency, token}   201 {id, status, amount, currency, reference}
//	GET  /charges?key=K                                  200 the charge, 404
//	POST /charges/{id}/void                              200 the charge, 409 once refunded
//	POST /charges/{id}/refund                            200 the charge, 409 once voided
//	POST /authorizations                                 as /charges, status "authorized"
//	GET  /authorizations?key=K                           200 the authorization, 404
//	POST /authorizations/{id}/capture                    200, 409 once voided
//	POST /authorizations/{id}/void                       200, 409 once captured
//
// The token [TokenDeclined] is declined with 402 card_declined; [TokenUnknown]
// commits and drops the connection, a repeat with the same key answers 201.
func (p *Provider) Payment() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /charges", p.mutate("charges", p.pay(KindCharge, "succeeded")))
	mux.HandleFunc("GET /charges", p.byKey("charges", p.loadPayment))
	mux.HandleFunc("POST /charges/{id}/void", p.mutate("charges/void", p.change(KindCharge, KindVoid, "voided")))
	mux.HandleFunc("POST /charges/{id}/refund", p.mutate("charges/refund", p.change(KindCharge, KindRefund, "refunded")))
	mux.HandleFunc("POST /authorizations", p.mutate("authorizations", p.pay(KindAuthorization, "authorized")))
	mux.HandleFunc("GET /authorizations", p.byKey("authorizations", p.loadPayment))
	mux.HandleFunc("POST /authorizations/{id}/capture", p.mutate("authorizations/capture", p.change(KindAuthorization, KindCapture, "captured")))
	mux.HandleFunc("POST /authorizations/{id}/void", p.mutate("authorizations/void", p.change(KindAuthorization, KindVoid, "voided")))
	return mux
}

// Inventory serves reservations of a stock that never runs out:
//
//	POST /reservations {reference, quantity}   201 {id, status, reference, quantity}
//	GET  /reservations?key=K                   200 the reservation, 404
//	POST /reservations/{id}/release            200 the reservation
func (p *Provider) Inventory() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reservations", p.mutate("reservations", p.reserve))
	mux.HandleFunc("GET /reservations", p.byKey("reservations", p.loadReservation))
	mux.HandleFunc("POST /reservations/{id}/release", p.mutate("reservations/release", p.release))
	return mux
}

// Orders serves orders:
//
//	POST /orders {reference, amount, currency, chargeId, reservationId}   201 {id, status, ...}
//	GET  /orders?key=K                                                    200 the order, 404
//
// It does not look up the charge and the reservation: a target whose payment
// goes to a sandbox elsewhere may still create its orders here.
func (p *Provider) Orders() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", p.mutate("orders", p.create))
	mux.HandleFunc("GET /orders", p.byKey("orders", p.loadOrder))
	return mux
}

// newID returns an unguessable id: a target that knows one was told it.
func newID(prefix string) string { return prefix + "_" + rand.Text() }
