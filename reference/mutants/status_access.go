package mutants

import (
	"net/http"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// statusAccessMutants let the wrong people read a checkout, or keep the right ones
// out.
func statusAccessMutants() []Mutant {
	return []Mutant{{
		Name:   "support-refused",
		Breaks: "lets only its owner read a checkout, not the support role",
		Kills:  []string{"SRS-CHK-003.02"},
		Needs:  []string{needSupportRole},
		Wrap: wrapAuthorize(func(p auth.Principal, r checkout.Record, right checkout.Access) checkout.Access {
			if right == checkout.Granted && p.Subject != r.Owner.Subject {
				return checkout.Forbidden
			}
			return right
		}),
	}, {
		Name:   "tenant-reads",
		Breaks: "lets every customer of a tenant read its checkouts",
		Kills:  []string{"SRS-CHK-003.09"},
		Needs:  []string{needSecondPrincipal},
		Wrap: wrapAuthorize(func(_ auth.Principal, _ checkout.Record, right checkout.Access) checkout.Access {
			if right == checkout.Forbidden {
				return checkout.Granted
			}
			return right
		}),
	}, {
		Name:   "anonymous-404",
		Breaks: "takes who asks for a status without valid credentials for a stranger, who finds nothing",
		Kills:  []string{"SRS-CHK-003.10"},
		Wrap: wrapAuthenticate(func(r *http.Request, right auth.Principal, err error) (auth.Principal, error) {
			if err != nil && r.Method == http.MethodGet {
				return auth.Principal{Tenant: "nobody's", Subject: "nobody"}, nil
			}
			return right, err
		}),
	}, {
		Name:   "role-before-tenant",
		Breaks: "asks for the support role before it asks for the tenant",
		Kills:  []string{"SRS-CHK-003.14"},
		Needs:  []string{needSupportRole, needSecondTenant},
		Wrap: wrapAuthorize(func(p auth.Principal, _ checkout.Record, right checkout.Access) checkout.Access {
			if p.Has(auth.RoleSupport) {
				return checkout.Granted
			}
			return right
		}),
	}, {
		Name:   "any-role-reads",
		Breaks: "lets everybody who has a role read the checkouts of the tenant",
		Kills:  []string{"SRS-CHK-003.15"},
		Needs:  []string{needSecondPrincipal, needOtherRole},
		Wrap: wrapAuthorize(func(p auth.Principal, _ checkout.Record, right checkout.Access) checkout.Access {
			if right == checkout.Forbidden && len(p.Roles) > 0 {
				return checkout.Granted
			}
			return right
		}),
	}, {
		Name:   "role-from-header",
		Breaks: "believes the role that a request claims in a header",
		Kills:  []string{"SRS-CHK-003.15"},
		Needs:  []string{needSecondPrincipal},
		Wrap: wrapAuthenticate(func(r *http.Request, right auth.Principal, err error) (auth.Principal, error) {
			if claimed := r.Header.Get("X-User-Roles"); err == nil && claimed != "" {
				right.Roles = append(slices.Clone(right.Roles), strings.Split(claimed, ",")...)
			}
			return right, err
		}),
	}}
}

// wrapAuthenticate changes who is taken for the caller.
func wrapAuthenticate(change func(*http.Request, auth.Principal, error) (auth.Principal, error)) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Authenticate
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			p, err := right(r)
			return change(r, p, err)
		}
	}
}
