package mutants

import (
	"context"
	"crypto/rand"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// tellsAgain writes the event of a finished record once more, under another id, when
// its key comes back.
type tellsAgain struct{ checkout.Store }

func (s tellsAgain) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	stored, created, err := s.Store.Reserve(ctx, r)
	if err != nil || created || !stored.State.Terminal() || stored.Fingerprint != r.Fingerprint {
		return stored, created, err
	}
	again := stored
	again.Event = &checkout.Event{
		ID: rand.Text(), Type: checkout.EventSucceeded, SchemaVersion: 1, Tenant: stored.Owner.Tenant, Aggregate: stored.RequestID,
		Payload: stored.Response.Body, CorrelationID: stored.CorrelationID, OccurredAt: stored.TerminalAt,
	}
	_ = s.Save(ctx, again)
	return stored, created, nil
}
