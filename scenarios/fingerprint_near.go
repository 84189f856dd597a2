package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/oncecheck/oncecheck/harness"
)

// The labels of requests that a digest may take for the first one: in one the
// border between two fields is elsewhere, which shows where they are joined without
// a separator; in the other a text is the same to whoever folds case or trims.
const (
	shiftedLabel = "shifted-"
	likenedLabel = "likened-"
)

// near is such a request. It is left out where the first one has no such fields.
type near struct {
	label string
	alter func(first firstRequest) (harness.Attempt, bool)
}

// firstRequest is what was sent first.
type firstRequest struct {
	fields  map[harness.Field]string
	members map[string]json.RawMessage
	cart    string
	amount  string
}

func nearRequests() []near {
	return []near{
		{shiftedLabel + "cart-version", func(r firstRequest) (harness.Attempt, bool) {
			version, ok := r.version(func(text string) string { return r.cart[len(r.cart)-1:] + text })
			return harness.Attempt{Vars: map[string]any{"cart": r.cart[:len(r.cart)-1]}, Set: version}, ok && endsInDigit(r.cart)
		}},
		{shiftedLabel + "cart-amount", func(r firstRequest) (harness.Attempt, bool) {
			amount, err := strconv.ParseInt(r.cart[len(r.cart)-1:]+r.amount, 10, 64)
			return harness.Attempt{Vars: map[string]any{"cart": r.cart[:len(r.cart)-1], "amount": amount}}, err == nil && endsInDigit(r.cart)
		}},
		{shiftedLabel + "version-amount", shiftAmount},
		{likenedLabel + "cart-case", func(r firstRequest) (harness.Attempt, bool) {
			other := strings.Map(otherCase, r.cart)
			return harness.Attempt{Vars: map[string]any{"cart": other}}, other != r.cart
		}},
		{likenedLabel + "cart-space", func(r firstRequest) (harness.Attempt, bool) {
			return harness.Attempt{Vars: map[string]any{"cart": " " + r.cart}}, true
		}},
		// No payment in another case of letters: a token that is a secret would no
		// longer be known for it in what is recorded.
		{likenedLabel + "payment-space", func(r firstRequest) (harness.Attempt, bool) {
			var token string
			name := r.fields[harness.FieldPayment]
			err := json.Unmarshal(r.members[name], &token)
			return harness.Attempt{Set: map[string]any{name: " " + token}}, err == nil
		}},
	}
}

// drive sends a plain request and, under its key, the one that is near to it.
func (n near) drive(ctx context.Context, s *harness.Session) error {
	c := shiftable(s, n.label)
	r := s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
	if r.Err != nil {
		return fmt.Errorf("the request that was to be altered got no answer: %w", r.Err)
	}
	first := firstRequest{fields: s.Target().Fields, cart: c.Cart, amount: strconv.FormatInt(c.Amount, 10)}
	if json.Unmarshal([]byte(r.Sent.Body), &first.members) != nil || !first.says(harness.FieldCart, strconv.Quote(first.cart)) || !first.says(harness.FieldAmount, first.amount) {
		return nil // the fields have another form
	}
	if altered, ok := n.alter(first); ok {
		altered.Principal = s.DefaultPrincipal()
		s.Send(ctx, c, altered)
	}
	return nil
}

// shiftable makes a case whose cart ends in a digit that a number may begin with.
func shiftable(s *harness.Session, label string) *harness.Case {
	for i := 1; ; i++ {
		if c := s.Case(fmt.Sprintf("%s-%d", label, i)); endsInDigit(c.Cart) || i == 20 {
			return c
		}
	}
}

func endsInDigit(cart string) bool { return strings.Contains("123456789", cart[len(cart)-1:]) }

func (r firstRequest) says(f harness.Field, value string) bool {
	return string(r.members[r.fields[f]]) == value
}

// version returns the version changed, as the number or the text that it is.
func (r firstRequest) version(change func(string) string) (set map[string]any, ok bool) {
	name := r.fields[harness.FieldVersion]
	var text string
	if json.Unmarshal(r.members[name], &text) == nil {
		return map[string]any{name: change(text)}, text != ""
	}
	number, err := strconv.ParseInt(change(string(r.members[name])), 10, 64)
	return map[string]any{name: number}, err == nil
}

// shiftAmount moves digits from the front of the amount to the end of the version,
// so many that no number begins with a zero.
func shiftAmount(r firstRequest) (harness.Attempt, bool) {
	for n := 1; n < len(r.amount); n++ {
		if r.amount[n] == '0' {
			continue
		}
		amount, err := strconv.ParseInt(r.amount[n:], 10, 64)
		version, ok := r.version(func(text string) string { return text + r.amount[:n] })
		return harness.Attempt{Vars: map[string]any{"amount": amount}, Set: version}, err == nil && ok
	}
	return harness.Attempt{}, false
}

func otherCase(r rune) rune {
	if unicode.IsLower(r) {
		return unicode.ToUpper(r)
	}
	return unicode.ToLower(r)
}
