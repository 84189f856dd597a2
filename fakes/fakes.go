package fakes

import (
	"context"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/harness"
)

// New returns a world in which nothing happened yet: a payment provider, a bank,
// an inventory and an order system, each under the name of its dependency.
func New() harness.Fakes { return world{provider.New()} }

type world struct{ provider *provider.Provider }

// Handler implements [harness.Fakes].
func (w world) Handler(link string) http.Handler {
	switch link {
	case "payment":
		return w.provider.Payment()
	case "bank":
		return w.provider.Bank()
	case "inventory":
		return w.provider.Inventory()
	case "orders":
		return w.provider.Orders()
	}
	return nil
}

// Effects implements [harness.Probe].
func (w world) Effects(_ context.Context, since int64) ([]harness.Effect, error) {
	entries := w.provider.Entries(since)
	effects := make([]harness.Effect, len(entries))
	for i, e := range entries {
		effects[i] = harness.Effect{
			Seq: e.Seq, Kind: string(e.Kind), ID: e.ID, Key: e.Key, Reference: e.Reference,
			CorrelationID: e.CorrelationID, Amount: e.Amount, Currency: e.Currency, At: e.At.Format(time.RFC3339Nano),
		}
	}
	return effects, nil
}
