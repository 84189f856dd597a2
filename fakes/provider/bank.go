package provider

import "net/http"

// Bank serves transfers, which are charges of a provider that takes no keys and
// cannot be asked: each request that it reads moves money once more.
//
//	POST /transfers {reference, amount, currency, token}   201 {id, status, amount, currency, reference}
//	POST /transfers/{id}/void                              200 the transfer
func (p *Provider) Bank() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /transfers", keyless(p.mutate("transfers", p.pay(KindCharge, "succeeded"))))
	mux.HandleFunc("POST /transfers/{id}/void", keyless(p.mutate("transfers/void", p.change(KindCharge, KindVoid, "voided"))))
	return mux
}

// keyless takes the key from a request: here it means nothing.
func keyless(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Idempotency-Key")
		next(w, r)
	}
}
