package store

import "github.com/oncecheck/oncecheck/reference/checkout"

// saveEvent writes the event of a record beside the record, in the same
// transaction: one is not there without the other. Its sequence comes from a
// counter of the aggregate, which the transaction holds until its end, so that the
// sequence has the order of the commits and no gaps. An event that is there
// already was written by an earlier try whose answer was lost.
func saveEvent(r checkout.Record) []statement {
	const fresh = held + ` AND NOT EXISTS (SELECT 1 FROM events WHERE event_id = $3)`
	e := r.Event
	return []statement{
		{`INSERT INTO sequences (tenant_id, aggregate_id, latest) SELECT $4, $5, 1 WHERE ` + fresh + `
			ON CONFLICT (tenant_id, aggregate_id) DO UPDATE SET latest = sequences.latest + 1`,
			[]any{r.RequestID, r.Fence, e.ID, e.Tenant, e.Aggregate}},
		{`INSERT INTO events
				(event_id, tenant_id, aggregate_id, sequence, type, schema_version, payload, correlation_id, occurred_at, state)
			SELECT $3, tenant_id, aggregate_id, latest, $6, $7, $8, $9, $10, 'PENDING'
			FROM sequences WHERE tenant_id = $4 AND aggregate_id = $5 AND ` + fresh,
			[]any{r.RequestID, r.Fence, e.ID, e.Tenant, e.Aggregate, e.Type, e.SchemaVersion, e.Payload, e.CorrelationID, stamp(e.OccurredAt)}},
	}
}
