package stack

import (
	"net/http"
	"testing"
)

// TestTheProviderTellsTheService: the service takes the webhook for the provider's,
// and nothing comes of it where the checkout is over.
func TestTheProviderTellsTheService(t *testing.T) {
	r := start(t, Options{Command: command(roleReal)})
	if status, body := r.checkout("key-1", "cart-1"); status != http.StatusCreated {
		t.Fatalf("checkout answered %d %s\n%s", status, body, r.log)
	}
	var ledger struct {
		Entries []struct{ Kind, Key string }
	}
	if status := r.call("GET", r.LedgerURL, nil, &ledger); status != http.StatusOK {
		t.Fatalf("the ledger: status %d", status)
	}
	key := ""
	for _, e := range ledger.Entries {
		if e.Kind == "charge" {
			key = e.Key
		}
	}
	var told struct{ Status int }
	if status := r.call("POST", r.ControlURL+"/webhooks", map[string]string{"key": key}, &told); status != http.StatusOK || told.Status != http.StatusOK {
		t.Errorf("the provider told: status %d, the service answered %d\n%s", status, told.Status, r.log)
	}
	if got := r.effects("cart-1"); len(got) != 3 {
		t.Errorf("the ledger holds %v", got)
	}
	for body, want := range map[any]int{"no object": http.StatusBadRequest, struct{}{}: http.StatusNotFound} {
		if status := r.call("POST", r.ControlURL+"/webhooks", body, nil); status != want {
			t.Errorf("%v: status %d, want %d", body, status, want)
		}
	}
}
