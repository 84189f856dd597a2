package mutants

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
)

func replayMutants() []Mutant {
	return []Mutant{{
		Name:   "replay-reexecutes",
		Breaks: "runs the checkout again when a finished key comes back",
		Kills:  []string{"SRS-CHK-001.26", "SRS-CHK-001.27", "SRS-CHK-001.32", "SRS-CHK-001.56", "SRS-CHK-002.25"},
		Needs:  []string{needEffects},
		Wrap: wrapReserve(func(right reservation) reservation {
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				if err == nil && !created && stored.State.Terminal() && stored.Fingerprint == r.Fingerprint {
					return right(ctx, elsewhere(r))
				}
				return stored, created, err
			}
		}),
	}, {
		Name:   "replay-200",
		Breaks: "answers a replay of 201 with 200",
		Kills:  []string{"SRS-CHK-001.26", "SRS-CHK-001.29"},
		Wrap: wrapReplay(func(_ context.Context, _ checkout.Record, a checkout.Answer) checkout.Answer {
			if a.Status == http.StatusCreated {
				a.Status = http.StatusOK
			}
			return a
		}),
	}, {
		Name:   "replay-new-order-id",
		Breaks: "makes up a new order id for each replay",
		Kills:  []string{"SRS-CHK-001.26", "SRS-CHK-001.27", "SRS-CHK-001.56"},
		Wrap: wrapReplay(func(_ context.Context, r checkout.Record, a checkout.Answer) checkout.Answer {
			if r.OrderID != "" {
				a.Body = bytes.ReplaceAll(a.Body, []byte(r.OrderID), []byte(rand.Text()))
			}
			return a
		}),
	}, {
		Name:   "replay-calls-provider",
		Breaks: "sends the charge to the provider again before it answers a replay, with the same provider key",
		Kills:  []string{"SRS-CHK-001.32"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			caller := client.New(c.Client)
			directory, key := c.Directory, c.ProviderKey
			wrapReplay(func(ctx context.Context, r checkout.Record, a checkout.Answer) checkout.Answer {
				body, err := json.Marshal(map[string]any{"reference": r.Order.CartID, "amount": r.Order.Amount,
					"currency": r.Order.Currency, "token": r.Order.PaymentToken})
				if err == nil {
					_, _ = caller.Do(ctx, client.Request{Method: http.MethodPost, URL: directory.URL(checkout.Payment) + "/charges",
						Key: key(r, "charge"), CorrelationID: r.CorrelationID, Body: body})
				}
				return a
			})(c)
		},
	}, {
		Name:   "replay-emits-event",
		Breaks: "writes its event once more, under another id, for each replay",
		Kills:  []string{"SRS-CHK-001.32"},
		Needs:  []string{needOutbox},
		Wrap:   func(c *checkout.Config) { c.Store = tellsAgain{c.Store} },
	}}
}

func wrapReplay(change func(context.Context, checkout.Record, checkout.Answer) checkout.Answer) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Replay
		c.Replay = func(ctx context.Context, r checkout.Record) checkout.Answer { return change(ctx, r, right(ctx, r)) }
	}
}
