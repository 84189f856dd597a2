package provider_test

import (
	"net/http"
	"testing"
)

func TestTheBankMovesMoneyForEachRequest(t *testing.T) {
	w := newWorld()
	bank := w.Bank()
	first, second := "", ""
	for i, id := range []*string{&first, &second} {
		status, body, _ := ask(bank, "POST", "/transfers", "the same key", charge)
		if *id = member(t, body, "id"); status != http.StatusCreated || len(w.Entries(0)) != i+1 {
			t.Fatalf("transfer %d: %d %s, %d entries", i+1, status, body, len(w.Entries(0)))
		}
	}
	if first == second || w.Entries(0)[0].Key != "" {
		t.Errorf("transfers %s and %s, the first under key %q", first, second, w.Entries(0)[0].Key)
	}
	for range 2 {
		if status, body, _ := ask(bank, "POST", "/transfers/"+first+"/void", "", "{}"); status != http.StatusOK {
			t.Errorf("void: %d %s", status, body)
		}
	}
	if got := kinds(w.Entries(0)); got != "charge charge void" {
		t.Errorf("the ledger holds %s", got)
	}
	if status, _, _ := ask(bank, "GET", "/transfers?key=x", "", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("a query was answered %d", status)
	}
}

func TestTheIssuerRefusesToAuthorize(t *testing.T) {
	w := newWorld()
	status, body, _ := ask(w.payment, "POST", "/charges", "k", `{"reference":"r","amount":1,"currency":"EUR","token":"tok_refused"}`)
	if status != http.StatusPaymentRequired || member(t, body, "code") != "authorization_refused" || len(w.Entries(0)) != 0 {
		t.Errorf("%d %s, %d entries", status, body, len(w.Entries(0)))
	}
}
