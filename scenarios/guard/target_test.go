package guard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// shop is a checkout that keeps its keys in memory, with a ledger. It has no
// status and calls nobody, so that most scenarios lack a capability.
type shop struct {
	longestKey int  // longer keys are refused; 0: cut off
	stray      bool // the fourth order leaves an effect that belongs to nobody

	mu     sync.Mutex
	orders map[string]string // key -> order id
	ledger []map[string]any
}

func newShop() *shop { return &shop{longestKey: 128, orders: map[string]string{}} }

// cutting is a shop that cuts long keys off instead of refusing them.
func cutting() *shop {
	s := newShop()
	s.longestKey = 0
	return s
}

// straying is a shop that charges somebody for nothing, once.
func straying() *shop {
	s := newShop()
	s.stray = true
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/ledger" {
		answer(w, http.StatusOK, map[string]any{"entries": s.ledger})
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" || s.longestKey > 0 && len(key) > s.longestKey {
		answer(w, http.StatusBadRequest, map[string]any{"code": "VALIDATION_ERROR", "message": "no valid key",
			"correlationId": r.Header.Get("X-Correlation-ID"), "retryable": false})
		return
	}
	key = key[:min(len(key), 128)]
	if s.orders[key] == "" {
		var cart struct {
			CartID string `json:"cartId"`
			Amount int64  `json:"amount"`
		}
		if err := json.NewDecoder(r.Body).Decode(&cart); err != nil {
			answer(w, http.StatusBadRequest, map[string]any{"code": "VALIDATION_ERROR", "message": err.Error(), "retryable": false})
			return
		}
		n := len(s.orders) + 1
		s.orders[key] = fmt.Sprintf("order-%d", n)
		s.ledger = append(s.ledger, map[string]any{"seq": n, "kind": "charge", "id": fmt.Sprintf("charge-%d", n), "key": key,
			"reference": cart.CartID, "amount": cart.Amount, "currency": "EUR"})
		if s.stray && n == 4 { // the first after the three of the positive control
			s.ledger = append(s.ledger, map[string]any{"seq": 1000, "kind": "charge", "id": "stray", "reference": "nobody", "amount": 1, "currency": "EUR"})
		}
	}
	answer(w, http.StatusCreated, map[string]any{"requestId": "request-" + s.orders[key], "orderId": s.orders[key]})
}

// mute is a shop whose answers name no order.
func mute() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/ledger", newShop())
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusCreated, map[string]any{}) })
	return mux
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a caller that left is no concern of a shop
}

// open serves a handler as a target and returns the path of its profile.
func open(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	profile := fmt.Sprintf(`target: {name: shop, url: %[1]q}
dialect: srs
principals:
  alice: {tenant: t1}
checkout: {method: POST, path: /checkout, body: {cartId: "{{cart}}", amount: "{{amount}}"}}
effects:
  http: {url: "%[1]s/ledger", jq: ".entries[]?"}
  perSuccess: {charge: 1}
`, server.URL)
	path := filepath.Join(t.TempDir(), "profile.yaml")
	if err := os.WriteFile(path, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
