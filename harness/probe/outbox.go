package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Outbox reads an outbox, in one of the ways in which a ledger is read. It is
// safe for concurrent use.
//
// An entry has a position, a whole number that grows with each entry and stays
// with it, and an eventId; and as far as they are known aggregateId, tenant,
// sequence, type, state, attemptCount, lastErrorClass, nextAttemptAt,
// correlationId and occurredAt, times in RFC 3339. A place in the list does not
// stand for the position: where what was delivered is deleted, it would change.
type Outbox struct {
	from source
	shut func() error
}

var _ harness.Outbox = (*Outbox)(nil)

// HTTPOutbox reads as [HTTP] does.
func HTTPOutbox(client *http.Client, rawURL string, header map[string]string, jq string) (*Outbox, error) {
	from, err := overHTTP(outbox(), client, rawURL, header, jq)
	if err != nil {
		return nil, err
	}
	return &Outbox{from: from}, nil
}

// SQLOutbox reads as [SQL] does. Columns have the names of an entry's members, in
// any case, with or without underscores.
func SQLOutbox(dsn, query string) (*Outbox, error) {
	from, err := bySQL(outbox(), dsn, query)
	if err != nil {
		return nil, err
	}
	return &Outbox{from: from, shut: from.Close}, nil
}

// CommandOutbox reads as [Command] does.
func CommandOutbox(argv []string, dir string) (*Outbox, error) {
	from, err := byCommand(outbox(), argv, dir)
	if err != nil {
		return nil, err
	}
	return &Outbox{from: from}, nil
}

// Events implements [harness.Outbox].
func (o *Outbox) Events(ctx context.Context, after int64) ([]harness.OutboxEvent, error) {
	return gather(ctx, o.from, outboxEvents(), after)
}

// Close ends what the reader keeps open.
func (o *Outbox) Close() error {
	if o.shut == nil {
		return nil
	}
	return o.shut()
}

func outbox() form {
	return form{
		key: "observe.outbox", name: "the outbox", identity: "position and eventId", cursor: "position",
		members: []string{"position", "eventId", "aggregateId", "tenant", "sequence", "type", "state", "attemptCount",
			"lastErrorClass", "nextAttemptAt", "correlationId", "occurredAt"},
		numbers: []string{"position", "sequence", "attemptCount"}, needed: []string{"position", "eventId"},
	}
}

func outboxEvents() kind[harness.OutboxEvent] {
	return kind[harness.OutboxEvent]{
		form: outbox(), numbered: true, read: outboxEvent,
		cursorOf: func(e *harness.OutboxEvent) *int64 { return &e.Position },
		nameOf:   func(e harness.OutboxEvent) string { return entryName(e.Type, e.EventID) },
	}
}

// outboxEvent reads one entry of an outbox.
func outboxEvent(object map[string]any) (e harness.OutboxEvent, err error) {
	var next, occurred string
	if err := texts(object, []text{
		{"eventId", &e.EventID}, {"aggregateId", &e.AggregateID}, {"tenant", &e.Tenant}, {"type", &e.Type}, {"state", &e.State},
		{"lastErrorClass", &e.LastErrorClass}, {"correlationId", &e.CorrelationID}, {"nextAttemptAt", &next}, {"occurredAt", &occurred},
	}); err != nil {
		return e, err
	}
	if e.EventID == "" {
		return e, errors.New("eventId must be there and not empty: without it no event can be told from another")
	}
	if e.Sequence, _, err = whole(object, "sequence"); err != nil {
		return e, err
	}
	attempts, there, err := whole(object, "attemptCount")
	if err != nil {
		return e, err
	}
	if there {
		e.AttemptCount = &attempts
	}
	for _, m := range []struct {
		name, value string
		into        *time.Time
	}{{"nextAttemptAt", next, &e.NextAttemptAt}, {"occurredAt", occurred, &e.OccurredAt}} {
		if m.value == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, m.value)
		if err != nil {
			return e, fmt.Errorf("%s is no time of RFC 3339, such as 2026-01-02T03:04:05Z", m.name)
		}
		*m.into = at.UTC()
	}
	return e, nil
}
