package mutants

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

func validationMutants() []Mutant {
	return []Mutant{{
		Name:   "cart-optional",
		Breaks: "makes up the cart that a request does not name",
		Kills:  []string{"SRS-CHK-001.13"},
		Needs:  []string{needDependencies, needFields},
		Wrap:   filling("cartId", "cart"),
	}, {
		Name:   "cart-version-optional",
		Breaks: "takes the latest version of a cart where a request names none",
		Kills:  []string{"SRS-CHK-001.13"},
		Needs:  []string{needDependencies, needFields},
		Wrap:   filling("cartVersion", 1),
	}, {
		Name:   "currency-unchecked",
		Breaks: "takes any text for a currency",
		Kills:  []string{"SRS-CHK-001.14"},
		Needs:  []string{needDependencies, needFields},
		Wrap: repairing(func(members map[string]any) bool {
			text, is := members["currency"].(string)
			members["currency"] = "EUR"
			return is && text != ""
		}),
	}, {
		Name:   "payment-optional",
		Breaks: "charges the card that is on file where a request names no payment",
		Kills:  []string{"SRS-CHK-001.15"},
		Needs:  []string{needDependencies, needFields},
		Wrap:   filling("paymentToken", "tok_ok"),
	}, {
		Name:   "card-details-kept",
		Breaks: "takes the details of a card for a token, and keeps them as they are",
		Kills:  []string{"SRS-CHK-001.57"},
		Needs:  []string{needLogs, needStorage, needFields},
		Wrap:   keepDetails,
	}, {
		Name:   "refusal-stored",
		Breaks: "keeps the refusal of a request's content with its key",
		Kills:  []string{"SRS-CHK-001.16"},
		Needs:  []string{needEffects},
		Wrap:   keepRefusals,
	}}
}

// filling puts a member into bodies that lack it.
func filling(name string, value any) func(*checkout.Config) {
	return repairing(func(members map[string]any) bool {
		_, there := members[name]
		members[name] = value
		return !there
	})
}

// repairing reads a body that was refused once more, if repair says that it made
// a good one of it.
func repairing(repair func(members map[string]any) bool) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Decode
		c.Decode = func(body []byte) (checkout.Order, error) {
			order, err := right(body)
			members := map[string]any{}
			if err == nil || json.Unmarshal(body, &members) != nil || !repair(members) {
				return order, err
			}
			repaired, wrong := json.Marshal(members)
			if wrong != nil {
				return order, err
			}
			return right(repaired)
		}
	}
}

// keepRefusals gives a request the body that its key came with first, if that one
// was refused.
func keepRefusals(c *checkout.Config) {
	var refused sync.Map // of bodies by key
	authenticate, decode := c.Authenticate, c.Decode
	c.Authenticate = func(r *http.Request) (auth.Principal, error) {
		p, err := authenticate(r)
		key := r.Header.Get(checkout.KeyHeader)
		if err != nil || key == "" || r.Method != http.MethodPost {
			return p, err
		}
		body, wrong := io.ReadAll(r.Body)
		if wrong != nil {
			return p, err
		}
		if kept, ok := refused.Load(key); ok {
			body = kept.([]byte)
		} else if _, wrong := decode(body); wrong != nil {
			refused.Store(key, body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return p, err
	}
}

// keepDetails accepts a card in place of a token.
func keepDetails(c *checkout.Config) {
	right := c.Decode
	c.Decode = func(body []byte) (checkout.Order, error) {
		members := map[string]any{}
		if json.Unmarshal(body, &members) != nil || members["card"] == nil {
			return right(body)
		}
		details, err := json.Marshal(members["card"])
		if err != nil {
			return checkout.Order{}, err
		}
		delete(members, "card")
		members["paymentToken"] = "tok_ok"
		if body, err = json.Marshal(members); err != nil {
			return checkout.Order{}, err
		}
		order, err := right(body)
		order.PaymentToken = string(details)
		return order, err
	}
}
