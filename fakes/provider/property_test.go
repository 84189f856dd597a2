package provider_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is sent in whatever order, a key leaves at most one entry of a kind,
// and sequence numbers have no gap.
func TestAtMostOneEntryPerKindAndKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for range rapid.IntRange(1, 40).Draw(t, "requests") {
			key := fmt.Sprintf("key-%d", rapid.IntRange(0, 3).Draw(t, "key"))
			amount := rapid.IntRange(-1, 3).Draw(t, "amount")
			token := rapid.SampledFrom([]string{"tok_ok", "tok_declined", "tok_unknown"}).Draw(t, "token")
			pay := fmt.Sprintf(`{"reference":"r","amount":%d,"currency":"EUR","token":%q}`, amount, token)
			switch rapid.SampledFrom([]string{"charge", "authorize", "reserve", "order"}).Draw(t, "operation") {
			case "charge":
				ask(w.payment, "POST", "/charges", key, pay)
			case "authorize":
				ask(w.payment, "POST", "/authorizations", key, pay)
			case "reserve":
				ask(w.inventory, "POST", "/reservations", key, fmt.Sprintf(`{"quantity":%d}`, amount))
			case "order":
				ask(w.orders, "POST", "/orders", key, pay)
			}
		}
		seen := map[string]int{}
		for i, e := range w.Entries(0) {
			if e.Seq != int64(i)+1 {
				t.Fatalf("entry %d has seq %d", i, e.Seq)
			}
			at := string(e.Kind) + "/" + e.Key
			if seen[at]++; seen[at] > 1 {
				t.Fatalf("%d entries of %s", seen[at], at)
			}
		}
	})
}
