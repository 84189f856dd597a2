package fakes_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/harness"
)

// send makes one call to a dependency of the world, which must take effect.
func send(t *testing.T, world harness.Fakes, link, path, key, body string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set("X-Correlation-ID", "corr-"+key)
	w := httptest.NewRecorder()
	world.Handler(link).ServeHTTP(w, r)
	if w.Code != http.StatusCreated {
		t.Fatalf("%s %s: %d %s", link, path, w.Code, w.Body)
	}
}

// TestOneLedgerTellsAllThatAnEffectIs: a field that got lost here would be a
// reference or a key that a judge takes for missing at the target.
func TestOneLedgerTellsAllThatAnEffectIs(t *testing.T) {
	world := fakes.New()
	if effects, err := world.Effects(t.Context(), 0); err != nil || effects == nil || len(effects) != 0 {
		t.Fatalf("a new world holds %v, %v", effects, err)
	}
	const charge = `{"reference":"cart-1","amount":1010,"currency":"EUR","token":"tok_ok"}`
	send(t, world, "inventory", "/reservations", "k-1", `{"reference":"cart-1","quantity":2}`)
	send(t, world, "payment", "/charges", "k-2", charge)
	send(t, world, "payment", "/charges", "k-2", charge) // a replay is no effect
	send(t, world, "orders", "/orders", "k-3", `{"reference":"cart-1","amount":1010,"currency":"EUR"}`)
	effects, err := world.Effects(t.Context(), 0)
	if err != nil || len(effects) != 3 {
		t.Fatalf("%d effects, %v: %+v", len(effects), err, effects)
	}
	for i, want := range []harness.Effect{
		{Seq: 1, Kind: "reservation", Key: "k-1", Reference: "cart-1", CorrelationID: "corr-k-1"},
		{Seq: 2, Kind: "charge", Key: "k-2", Reference: "cart-1", CorrelationID: "corr-k-2", Amount: 1010, Currency: "EUR"},
		{Seq: 3, Kind: "order", Key: "k-3", Reference: "cart-1", CorrelationID: "corr-k-3", Amount: 1010, Currency: "EUR"},
	} {
		got := effects[i]
		if _, err := time.Parse(time.RFC3339Nano, got.At); err != nil || got.ID == "" {
			t.Errorf("effect %d: id %q, at %q: %v", i, got.ID, got.At, err)
		}
		if got.ID, got.At = "", ""; got != want {
			t.Errorf("effect %d: %+v, want %+v", i, got, want)
		}
	}
	if later, err := world.Effects(t.Context(), 2); err != nil || len(later) != 1 || later[0].Kind != "order" {
		t.Errorf("after the second: %+v, %v", later, err)
	}
}

func TestWorldsShareNothing(t *testing.T) {
	one, other := fakes.New(), fakes.New()
	send(t, one, "inventory", "/reservations", "k-1", `{"reference":"cart-1","quantity":1}`)
	if effects, err := other.Effects(t.Context(), 0); err != nil || len(effects) != 0 {
		t.Errorf("%+v, %v", effects, err)
	}
}

func TestAWorldPlaysNoOtherSystem(t *testing.T) {
	for _, link := range []string{"", "carrier", "Payment"} {
		if fakes.New().Handler(link) != nil {
			t.Errorf("somebody answers for %q", link)
		}
	}
}
