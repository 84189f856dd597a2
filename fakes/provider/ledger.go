package provider

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Kind names an effect.
type Kind string

// The kinds of effects.
const (
	KindCharge        Kind = "charge"
	KindAuthorization Kind = "authorization"
	KindCapture       Kind = "capture"
	KindVoid          Kind = "void"
	KindRefund        Kind = "refund"
	KindReservation   Kind = "reservation"
	KindRelease       Kind = "release"
	KindOrder         Kind = "order"
	KindHold          Kind = "hold"
)

// Entry is one effect. Capture, void, refund and release carry the ID, Reference,
// Amount and Currency of what they act on.
type Entry struct {
	Seq           int64     `json:"seq"` // 1-based, without gaps
	Kind          Kind      `json:"kind"`
	ID            string    `json:"id"`
	Key           string    `json:"key"` // Idempotency-Key of the request, empty if it had none
	Reference     string    `json:"reference"`
	CorrelationID string    `json:"correlationId"`
	Amount        int64     `json:"amount"`   // minor units; 0 for inventory
	Currency      string    `json:"currency"` // empty for inventory
	At            time.Time `json:"at"`
}

// Entries returns a copy of the entries with Seq > since, in order, never nil.
func (p *Provider) Entries(since int64) []Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Seq is the position, so the entries after since begin at index since.
	from := min(max(since, 0), int64(len(p.ledger)))
	return append([]Entry{}, p.ledger[from:]...)
}

// LedgerHandler serves GET /ledger?since=N as {"entries":[...]}, the entries
// with seq > N. Without since it serves all of them.
func (p *Provider) LedgerHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ledger", func(w http.ResponseWriter, r *http.Request) {
		var since int64
		if query := r.URL.Query(); query.Has("since") {
			text := query.Get("since")
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 {
				refusal(http.StatusBadRequest, "invalid_request",
					fmt.Sprintf("since %q is no number from 0", text)).write(w)
				return
			}
			since = n
		}
		jsonAnswer(http.StatusOK, struct {
			Entries []Entry `json:"entries"`
		}{p.Entries(since)}).write(w)
	})
	return mux
}

// append records an effect. The caller holds p.mu.
func (p *Provider) append(e Entry) {
	e.Seq = int64(len(p.ledger)) + 1
	e.At = p.now().UTC()
	p.ledger = append(p.ledger, e)
}
