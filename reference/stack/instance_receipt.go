package stack

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// receiptSize is that of an itemised receipt of this stack, whose carts hold all
// that there is: an answer that has to be stored and repeated like any other.
const receiptSize = 5 << 20

// itemised is the [checkout.Config.Receipt] of the stack.
func itemised(r checkout.Record) string {
	var text strings.Builder
	text.Grow(receiptSize + 80)
	text.WriteString(checkout.Receipt(r) + "; ")
	for n := 1; text.Len() < receiptSize; n++ {
		fmt.Fprintf(&text, "item %d of %s: in stock and free of charge; ", n, r.Order.CartID)
	}
	return text.String()
}
