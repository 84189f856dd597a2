package stack

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func TestReceiptsAreLargeAndTheSameEachTime(t *testing.T) {
	r := checkout.Record{Order: checkout.Order{CartID: "cart-1", CartVersion: 1, Amount: 4200, Currency: "EUR"}}
	text := itemised(r)
	if len(text) < 5<<20 || !strings.HasPrefix(text, checkout.Receipt(r)) || text != itemised(r) {
		t.Errorf("%d bytes, beginning %.80q", len(text), text)
	}
}
