package provider_test

import (
	"encoding/json"
	"testing"
)

func TestTheProviderTellsOfACharge(t *testing.T) {
	w := newWorld()
	_, body, _ := ask(w.payment, "POST", "/charges", "k", charge)
	var told struct {
		Type string
		Data struct{ ID, Key, Status string }
	}
	if err := json.Unmarshal(w.Webhook("k"), &told); err != nil {
		t.Fatal(err)
	}
	if told.Type != "charge.succeeded" || told.Data.ID != member(t, body, "id") || told.Data.Key != "k" || told.Data.Status != "succeeded" {
		t.Errorf("told %+v", told)
	}
	if got := w.Webhook("another"); got != nil {
		t.Errorf("told of a charge that was never made: %s", got)
	}
}
