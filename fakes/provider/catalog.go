package provider

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
)

// Catalog serves items that are always in stock, and holds on them:
//
//	GET  /items/{sku}         200 {sku, name, price, currency}, the same for a sku every time
//	POST /items/{sku}/holds   201 {id, status, sku}
func (p *Provider) Catalog() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{sku}", func(w http.ResponseWriter, r *http.Request) {
		jsonAnswer(http.StatusOK, newItem(r.PathValue("sku"))).write(w)
	})
	mux.HandleFunc("POST /items/{sku}/holds", p.mutate("items/holds", p.hold))
	return mux
}

type item struct {
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Price    int64  `json:"price"` // minor units
	Currency string `json:"currency"`
}

func newItem(sku string) item {
	sum := sha256.Sum256([]byte(sku))
	return item{SKU: sku, Name: "item " + sku, Price: 100 + int64(binary.BigEndian.Uint16(sum[:])), Currency: "EUR"}
}

type hold struct {
	ID     string `json:"id"`
	Status string `json:"status"` // held
	SKU    string `json:"sku"`
}

// hold is the effect of POST /items/{sku}/holds. It needs nothing from the body.
func (p *Provider) hold(r request) outcome {
	made := hold{ID: newID("hold"), Status: "held", SKU: r.http.PathValue("sku")}
	p.append(Entry{Kind: KindHold, ID: made.ID, Key: r.key, Reference: made.SKU, CorrelationID: r.correlationID})
	return done(jsonAnswer(http.StatusCreated, made), made.ID)
}
