package mutants

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// fingerprintNearMutants take two requests for one that are near to each other.
func fingerprintNearMutants() []Mutant {
	row := func(name, breaks string, wrap func(*checkout.Config)) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{"SRS-CHK-001.37"}, Needs: []string{needEffects, needFields}, Wrap: wrap}
	}
	both := func(change func(string) string) func(*checkout.Config) {
		return wrapFingerprint(func(r *checkout.Request) {
			r.Order.CartID, r.Order.PaymentToken = change(r.Order.CartID), change(r.Order.PaymentToken)
		})
	}
	return []Mutant{
		row("fingerprint-concatenated", "joins the fields of a request without anything between them", func(c *checkout.Config) {
			c.Fingerprint = func(r checkout.Request) string {
				o := r.Order
				sum := sha256.Sum256(fmt.Appendf(nil, "%s%d%d%s%s%s%s", o.CartID, o.CartVersion, o.Amount, o.Currency, o.PaymentToken, o.Receipt, r.Cancels))
				return hex.EncodeToString(sum[:])
			}
		}),
		row("fingerprint-folded", "compares the texts of a request without regard to the case of letters", both(strings.ToLower)),
		row("fingerprint-trimmed", "compares the texts of a request without the spaces around them", both(strings.TrimSpace)),
	}
}
