package checkout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Order is a validated request. Amount is in minor units of Currency.
type Order struct {
	CartID       string `json:"cartId"`
	CartVersion  int64  `json:"cartVersion"`
	Currency     string `json:"currency"`
	Amount       int64  `json:"amount"`
	PaymentToken string `json:"paymentToken"`
	Receipt      string `json:"receipt,omitempty"` // how detailed a receipt is asked for; empty: none
}

// receiptItemised is the one kind of receipt that there is.
const receiptItemised = "itemised"

// Limits of an order's fields. An amount has fewer digits than a card number.
const (
	maxText    = 128
	maxVersion = math.MaxInt32
	maxAmount  = 999_999_999_999
)

// DecodeOrder is the default [Config.Decode]. It is strict, since a field that is ignored
// or read in two ways is a field that two requests may differ in unnoticed. The
// errors are shown to the caller and repeat nothing of what was sent.
func DecodeOrder(body []byte) (Order, error) {
	given, err := members(body)
	if err != nil {
		return Order{}, err
	}
	var o Order
	fields := []struct {
		name     string
		read     func(json.RawMessage) error
		optional bool // it may be left out; null is another matter
	}{
		{"cartId", text(&o.CartID), false},
		{"cartVersion", number(&o.CartVersion, maxVersion), false},
		{"currency", currency(&o.Currency), false},
		{"amount", number(&o.Amount, maxAmount), false},
		{"paymentToken", text(&o.PaymentToken), false},
		{"receipt", receipt(&o.Receipt), true},
	}
	for _, f := range fields {
		raw, ok := given[f.name]
		if !ok && f.optional {
			continue
		}
		if !ok {
			return Order{}, fmt.Errorf("%s is required", f.name)
		}
		if err := f.read(raw); err != nil {
			return Order{}, fmt.Errorf("%s %w", f.name, err)
		}
		delete(given, f.name)
	}
	if len(given) > 0 {
		return Order{}, errors.New("the body has a field that is not one of cartId, cartVersion, currency, amount, paymentToken, receipt")
	}
	return o, nil
}

// members splits a JSON object. Unlike json.Unmarshal it compares names exactly
// and refuses to choose between two members of one name.
func members(body []byte) (map[string]json.RawMessage, error) {
	errShape := errors.New("the body is not one JSON object in UTF-8")
	if !utf8.Valid(body) {
		return nil, errShape
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errShape
	}
	found := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errShape
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, errShape
		}
		key := name.(string) // the decoder yields nothing else in this place
		if _, twice := found[key]; twice {
			return nil, errors.New("the body has a field twice")
		}
		found[key] = raw
	}
	if _, err := d.Token(); err != nil {
		return nil, errShape
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errShape
	}
	return found, nil
}

func text(into *string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var s *string
		if err := json.Unmarshal(raw, &s); err != nil || s == nil {
			return errors.New("must be a string")
		}
		if strings.TrimSpace(*s) == "" || utf8.RuneCountInString(*s) > maxText || strings.ContainsFunc(*s, unicode.IsControl) {
			return fmt.Errorf("must have 1 to %d characters, none of them a control character", maxText)
		}
		if cardLike(*s) {
			return errors.New("looks like a card number; send a payment token")
		}
		*into = *s
		return nil
	}
}

// number accepts 1, 1.0 and 1e0 alike: they are one number in JSON.
func number(into *int64, limit int64) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || f != math.Trunc(f) || f < 1 || f > float64(limit) {
			return fmt.Errorf("must be a whole number from 1 to %d", limit)
		}
		*into = int64(f)
		return nil
	}
}

func currency(into *string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil || !knownCurrency(s) {
			return errors.New("must be a current ISO 4217 code in upper case")
		}
		*into = s
		return nil
	}
}
