package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// columns lists what [scan] reads, in its order.
const columns = `request_id, tenant_id, principal_id, operation, api_version, key, owner_tenant, owner_subject, version, cancels,
	fingerprint, order_json, correlation_id, state, code, lock, fence, lease_until, due_at, run,
	reservation_id, charge_id, order_id, status, headers, body, attempt_count,
	created_at, updated_at, terminal_at, expires_at, payment_key`

func scan(row interface{ Scan(...any) error }) (checkout.Record, error) {
	var r checkout.Record
	var order, headers []byte
	err := row.Scan(&r.RequestID, &r.Scope.Tenant, &r.Scope.Principal, &r.Scope.Operation, &r.Scope.Version, &r.Scope.Key,
		&r.Owner.Tenant, &r.Owner.Subject, &r.Version, &r.Cancels, &r.Fingerprint, &order, &r.CorrelationID, &r.State, &r.Code,
		&r.Lock, &r.Fence, (*micros)(&r.LeaseUntil), (*micros)(&r.DueAt), &r.Run,
		&r.ReservationID, &r.ChargeID, &r.OrderID, &r.Response.Status, &headers, &r.Response.Body, &r.AttemptCount,
		(*micros)(&r.CreatedAt), (*micros)(&r.UpdatedAt), (*micros)(&r.TerminalAt), (*micros)(&r.ExpiresAt), &r.PaymentKey)
	if errors.Is(err, sql.ErrNoRows) {
		return checkout.Record{}, checkout.ErrUnknown
	}
	if err != nil {
		return checkout.Record{}, fmt.Errorf("read a row: %w", err)
	}
	if err := json.Unmarshal(order, &r.Order); err != nil {
		return checkout.Record{}, fmt.Errorf("decode the order of %s: %w", r.RequestID, err)
	}
	if err := json.Unmarshal(headers, &r.Response.Header); err != nil {
		return checkout.Record{}, fmt.Errorf("decode the stored headers of %s: %w", r.RequestID, err)
	}
	return r, nil
}

// micros reads a time from its column.
type micros time.Time

// Scan implements [sql.Scanner].
func (m *micros) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T, want an integer", value)
	}
	*m = micros{}
	if n != 0 {
		*m = micros(time.UnixMicro(n).UTC())
	}
	return nil
}

// stamp is the column value of a time.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func encode(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode a column: %w", err)
	}
	return string(raw), nil
}

// body is never NULL.
func body(a checkout.Answer) []byte { return append([]byte{}, a.Body...) }
