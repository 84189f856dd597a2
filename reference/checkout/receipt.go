package checkout

import (
	"encoding/json"
	"errors"
	"fmt"
)

// receipt reads the kind of receipt that is asked for. Whoever wants none leaves
// the member out: null would be a second way to say so, in which two requests
// that mean the same could differ.
func receipt(into *string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var s *string
		if err := json.Unmarshal(raw, &s); err != nil || s == nil || *s != receiptItemised {
			return errors.New("must be " + receiptItemised + ", or be left out")
		}
		*into = *s
		return nil
	}
}

// Receipt is the default [Config.Receipt]: one line, since carts have no items
// here.
func Receipt(r Record) string {
	return fmt.Sprintf("cart %s, version %d: %d.%02d %s", r.Order.CartID, r.Order.CartVersion, r.Order.Amount/100, r.Order.Amount%100, r.Order.Currency)
}
