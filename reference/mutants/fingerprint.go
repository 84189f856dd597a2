package mutants

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func fingerprintMutants() []Mutant {
	return []Mutant{{
		Name:   "fingerprint-without-version",
		Breaks: "takes another version of a cart under a used key for the same request",
		Kills:  []string{"SRS-CHK-001.37"},
		Needs:  []string{needEffects, needFields},
		Wrap:   wrapFingerprint(func(r *checkout.Request) { r.Order.CartVersion = 0 }),
	}, {
		Name:   "fingerprint-without-currency",
		Breaks: "takes the same sum in another currency under a used key for the same request",
		Kills:  []string{"SRS-CHK-001.37"},
		Needs:  []string{needEffects, needFields},
		Wrap:   wrapFingerprint(func(r *checkout.Request) { r.Order.Currency = "" }),
	}, {
		Name:   "fingerprint-without-payment",
		Breaks: "takes another payment for the same cart under a used key for the same request",
		Kills:  []string{"SRS-CHK-001.37"},
		Needs:  []string{needEffects, needFields},
		Wrap:   wrapFingerprint(func(r *checkout.Request) { r.Order.PaymentToken = "" }),
	}, {
		Name:   "fingerprint-of-bytes",
		Breaks: "compares the bytes of two bodies instead of what they say",
		Kills:  []string{"SRS-CHK-001.38"},
		Needs:  []string{needEffects},
		Wrap: func(c *checkout.Config) {
			c.Fingerprint = func(r checkout.Request) string {
				sum := sha256.Sum256(append([]byte(r.Cancels), r.Body...))
				return hex.EncodeToString(sum[:])
			}
		},
	}, {
		Name:   "fingerprint-with-trace",
		Breaks: "takes the same request with another trace for another request",
		Kills:  []string{"SRS-CHK-001.39"},
		Needs:  []string{needEffects},
		Wrap: func(c *checkout.Config) {
			right := c.Fingerprint
			c.Fingerprint = func(r checkout.Request) string { return right(r) + r.Header.Get("Traceparent") }
		},
	}, {
		Name:   "fingerprint-with-correlation-id",
		Breaks: "takes the same request with another correlation id for another request",
		Kills:  []string{"SRS-CHK-001.39"},
		Needs:  []string{needEffects},
		Wrap: func(c *checkout.Config) {
			right := c.Fingerprint
			c.Fingerprint = func(r checkout.Request) string { return right(r) + r.Header.Get(checkout.CorrelationHeader) }
		},
	}, {
		Name:   "null-read-as-absent",
		Breaks: "reads a member that is null as one that was left out, as omitempty does",
		Kills:  []string{"SRS-CHK-001.40"},
		Needs:  []string{needEffects, needOptionalField},
		Wrap: func(c *checkout.Config) {
			right := c.Decode
			c.Decode = func(body []byte) (checkout.Order, error) { return right(withoutNulls(body)) }
		},
	}}
}

// wrapFingerprint lets the right fingerprint forget a part of the request.
func wrapFingerprint(forget func(*checkout.Request)) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Fingerprint
		c.Fingerprint = func(r checkout.Request) string {
			forget(&r)
			return right(r)
		}
	}
}

// withoutNulls drops the members that are null from an object.
func withoutNulls(body []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	for name, value := range members {
		if bytes.Equal(value, []byte("null")) {
			delete(members, name)
		}
	}
	changed, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return changed
}
