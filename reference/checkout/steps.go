package checkout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

// The operations. Their names are part of the provider keys: renaming one would
// make a checkout that is under way do it again.
func opReserve() operation  { return operation{name: "reserve", dependency: Inventory} }
func opCharge() operation   { return operation{name: "charge", dependency: Payment} }
func opTransfer() operation { return operation{name: "transfer", dependency: Bank, keyless: true} }
func opOrder() operation    { return operation{name: "order", dependency: Orders} }
func opVoid() operation     { return operation{name: "void", dependency: Payment} }
func opReverse() operation  { return operation{name: "reverse", dependency: Bank, keyless: true} }
func opRefund() operation   { return operation{name: "refund", dependency: Payment} }
func opRelease() operation  { return operation{name: "release", dependency: Inventory} }

// opQuery asks what became of op.
func opQuery(op operation) operation {
	return operation{name: "query-" + op.name, dependency: op.dependency, query: true}
}

// advance takes a record as far as it gets: from wherever it is to a terminal
// state, or to one of the two that wait. The request that created a record and
// whoever finds it later use this same function.
func (w *worker) advance(ctx context.Context) error {
	if w.rec.State.Terminal() {
		return w.cleanUp(ctx)
	}
	if w.overdue() {
		return w.abandon(ctx)
	}
	w.rec.ExpiresAt = time.Time{} // somebody carries on with it
	steps := []func(context.Context) error{w.reserveStock, w.chargeCard, w.createOrder}
	if w.rec.Cancels != "" {
		steps = []func(context.Context) error{w.reverse}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return w.settle(ctx, err)
		}
	}
	return w.succeed(ctx)
}

func (w *worker) reserveStock(ctx context.Context) error {
	return w.step(ctx, opReserve(), &w.rec.ReservationID, "/reservations", struct {
		Reference string `json:"reference"`
		Quantity  int    `json:"quantity"`
	}{w.rec.Order.CartID, 1})
}

// chargeCard moves the money, once. Where an attempt may have done it and nobody
// said so, that is found out before anything else is sent: at once, while there
// are attempts and time, and otherwise by whoever carries on.
func (w *worker) chargeCard(ctx context.Context) error {
	m := methodOf(w.rec.Order)
	for {
		if err := w.findCharge(ctx, m); err != nil {
			return err
		}
		before := w.used(m.pay)
		err := w.step(ctx, m.pay, &w.rec.ChargeID, m.path, struct {
			Reference string `json:"reference"`
			Amount    int64  `json:"amount"`
			Currency  string `json:"currency"`
			Token     string `json:"token"`
		}{w.rec.Order.CartID, w.rec.Order.Amount, w.rec.Order.Currency, w.rec.Order.PaymentToken})
		var no *refusal
		anew := w.open(m.pay, func(a Attempt) bool { return w.thisRun(a) && a.Number > before })
		if err == nil || errors.As(err, &no) || errors.Is(err, errUnsaved) || !anew {
			return err
		}
	}
}

// findCharge finds out what became of a payment of unknown outcome.
func (w *worker) findCharge(ctx context.Context, m method) error {
	if w.rec.ChargeID != "" || !w.open(m.pay, w.ever) {
		return nil
	}
	if m.pay.keyless {
		w.Log.Error("nobody can tell whether it was paid", "requestId", w.rec.RequestID,
			"correlationId", w.rec.CorrelationID, "operation", m.pay.name)
		return fmt.Errorf("%s: %w", m.pay.name, errUnresolvable)
	}
	id, err := w.Reconcile(ctx, w.rec, func(ctx context.Context) (string, error) { return w.ask(ctx, m.pay, m.path) })
	if err != nil {
		return fmt.Errorf("reconcile the charge: %w", err)
	}
	w.rec.ChargeID = id
	return w.save(ctx)
}

func (w *worker) createOrder(ctx context.Context) error {
	return w.step(ctx, opOrder(), &w.rec.OrderID, "/orders", struct {
		Reference     string `json:"reference"`
		Amount        int64  `json:"amount"`
		Currency      string `json:"currency"`
		ChargeID      string `json:"chargeId"`
		ReservationID string `json:"reservationId"`
	}{w.rec.Order.CartID, w.rec.Order.Amount, w.rec.Order.Currency, w.rec.ChargeID, w.rec.ReservationID})
}

// step does one operation unless its result is known, and makes the result
// durable.
func (w *worker) step(ctx context.Context, op operation, result *string, path string, body any) error {
	if *result != "" {
		return nil
	}
	resp, err := w.post(ctx, op, path, body)
	if err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	id, err := created(op, resp)
	if errors.Is(err, errUnclear) {
		w.doubt(op)
	}
	if w.contestable(op, resp.Status) {
		id, err = w.reread(ctx, op, path, err)
	}
	if err != nil {
		return err
	}
	*result = id
	return w.save(ctx)
}

// contestable reports whether a refusal may hide that an earlier call of ours was
// carried out. A conflict says that the request does not fit the state that the
// dependency is in, which such a call may have brought about. Any other refusal,
// of a token for instance, says nothing of a call of an earlier round of which
// nobody knows. Payments of earlier rounds have been asked for, see findCharge.
func (w *worker) contestable(op operation, status int) bool {
	if status == http.StatusConflict {
		return !op.keyless
	}
	earlier := func(a Attempt) bool { return !w.thisRun(a) }
	return status > 299 && op != methodOf(w.rec.Order).pay && w.open(op, earlier)
}

// reread finds out what a refusal is about. Only where the dependency knows of
// nothing that we did is it believed.
func (w *worker) reread(ctx context.Context, op operation, path string, refused error) (string, error) {
	id, err := w.Reread(ctx, w.rec, func(ctx context.Context) (string, error) { return w.ask(ctx, op, path) })
	switch {
	case err != nil:
		w.doubt(op)
		return "", fmt.Errorf("read the state behind a refusal: %w", err)
	case id == "":
		return "", refused
	}
	return id, nil
}

// ask asks a dependency what it made under the key of op. It returns an empty id
// only if the dependency says that there is nothing.
func (w *worker) ask(ctx context.Context, op operation, path string) (string, error) {
	resp, err := w.call(ctx, opQuery(op), client.Request{
		Method: http.MethodGet,
		URL:    w.Directory.URL(op.dependency) + path + "?key=" + url.QueryEscape(w.ProviderKey(w.rec, op.name)),
	})
	if err != nil {
		return "", err
	}
	if resp.Status == http.StatusNotFound {
		return "", nil
	}
	return created(opQuery(op), resp)
}

var (
	// errUnclear is a success that does not say of what.
	errUnclear = errors.New("the answer is a success without an id")
	// errUnresolvable is a payment that may have been made, where nobody can tell
	// and another one would be a second one.
	errUnresolvable = errors.New("its outcome is unknown and cannot be asked for")
)

// refusal is an answer that a repetition would not change.
type refusal struct {
	op     operation
	status int
}

func (r *refusal) Error() string { return fmt.Sprintf("%s was refused with %d", r.op.name, r.status) }

func (r *refusal) declined() bool {
	return r.status == http.StatusPaymentRequired && (r.op == opCharge() || r.op == opTransfer())
}

// created returns the id of what an answer says was made.
func created(op operation, resp client.Response) (string, error) {
	if resp.Status < 200 || resp.Status > 299 {
		return "", &refusal{op, resp.Status}
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(resp.Body, &made); err != nil || made.ID == "" {
		return "", fmt.Errorf("%s: %w", op.name, errUnclear)
	}
	return made.ID, nil
}
