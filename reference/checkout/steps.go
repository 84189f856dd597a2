package checkout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/oncecheck/oncecheck/reference/client"
)

// The operations. Their names are part of the provider keys: renaming one would
// make a checkout that is under way do it again.
func opReserve() operation { return operation{"reserve", Inventory} }
func opCharge() operation  { return operation{"charge", Payment} }
func opQuery() operation   { return operation{"query-charge", Payment} }
func opOrder() operation   { return operation{"order", Orders} }
func opVoid() operation    { return operation{"void", Payment} }
func opRelease() operation { return operation{"release", Inventory} }

// advance takes a record as far as it gets: from wherever it is to a terminal
// state, or to one of the two that wait. The request that created a record and
// whoever finds it later use this same function.
func (w *worker) advance(ctx context.Context) error {
	if w.rec.State.Terminal() {
		return w.cleanUp(ctx)
	}
	for _, step := range []func(context.Context) error{w.reserveStock, w.chargeCard, w.createOrder} {
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

func (w *worker) chargeCard(ctx context.Context) error {
	if w.rec.ChargeID == "" && w.open(opCharge(), w.ever) {
		id, err := w.Reconcile(ctx, w.rec, w.queryCharge)
		if err != nil {
			return fmt.Errorf("reconcile the charge: %w", err)
		}
		w.rec.ChargeID = id
		if err := w.save(ctx); err != nil {
			return err
		}
	}
	return w.step(ctx, opCharge(), &w.rec.ChargeID, "/charges", struct {
		Reference string `json:"reference"`
		Amount    int64  `json:"amount"`
		Currency  string `json:"currency"`
		Token     string `json:"token"`
	}{w.rec.Order.CartID, w.rec.Order.Amount, w.rec.Order.Currency, w.rec.Order.PaymentToken})
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
	if err != nil {
		return err
	}
	*result = id
	return w.save(ctx)
}

// queryCharge asks the provider for the charge of this checkout. It returns an
// empty id only if the provider says that there is none.
func (w *worker) queryCharge(ctx context.Context) (string, error) {
	resp, err := w.call(ctx, opQuery(), client.Request{
		Method: http.MethodGet,
		URL:    w.Directory.URL(Payment) + "/charges?key=" + url.QueryEscape(w.ProviderKey(w.rec, opCharge().name)),
	})
	if err != nil {
		return "", err
	}
	if resp.Status == http.StatusNotFound {
		return "", nil
	}
	return created(opQuery(), resp)
}

// errUnclear is a success that does not say of what.
var errUnclear = errors.New("the answer is a success without an id")

// refusal is an answer that a repetition would not change.
type refusal struct {
	op     operation
	status int
}

func (r *refusal) Error() string { return fmt.Sprintf("%s was refused with %d", r.op.name, r.status) }

func (r *refusal) declined() bool {
	return r.op == opCharge() && r.status == http.StatusPaymentRequired
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
