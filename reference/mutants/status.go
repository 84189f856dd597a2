package mutants

import (
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

func statusMutants() []Mutant {
	return []Mutant{{
		Name:   "owner-refused",
		Breaks: "lets only the support role read a checkout, not its owner",
		Kills:  []string{"SRS-CHK-003.01"},
		Wrap: wrapAuthorize(func(p auth.Principal, _ checkout.Record, right checkout.Access) checkout.Access {
			if right == checkout.Granted && !p.Has(auth.RoleSupport) {
				return checkout.Forbidden
			}
			return right
		}),
	}, {
		Name:   "malformed-id-500",
		Breaks: "answers 500 for a request id that is not one of its own making",
		Kills:  []string{"SRS-CHK-003.07"},
		Wrap: func(c *checkout.Config) {
			right := c.NotFound
			c.NotFound = func(requestID, id string) checkout.Answer {
				a := right(requestID, id)
				if len(requestID) != requestIDLength || strings.Trim(requestID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
					a.Status = http.StatusInternalServerError
				}
				return a
			}
		},
	}, {
		Name:   "foreign-tenant-403",
		Breaks: "tells a stranger from another tenant that the checkout exists",
		Kills:  []string{"SRS-CHK-003.08", "SRS-CHK-SEC.02"},
		Needs:  []string{needSecondTenant},
		Wrap: wrapAuthorize(func(_ auth.Principal, _ checkout.Record, right checkout.Access) checkout.Access {
			if right == checkout.Hidden {
				return checkout.Forbidden
			}
			return right
		}),
	}}
}

// requestIDLength is the length of the request ids that the reference makes.
const requestIDLength = 26

func wrapAuthorize(change func(auth.Principal, checkout.Record, checkout.Access) checkout.Access) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Authorize
		c.Authorize = func(p auth.Principal, r checkout.Record) checkout.Access { return change(p, r, right(p, r)) }
	}
}
