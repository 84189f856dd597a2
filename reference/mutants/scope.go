package mutants

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

func scopeMutants() []Mutant {
	return []Mutant{{
		Name:   "global-key-scope",
		Breaks: "looks a key up without asking whose it is",
		Kills:  []string{"SRS-CHK-001.17", "SRS-CHK-001.18", "SRS-CHK-SEC.02"},
		Needs:  []string{needEffects, needSecondTenant, needSecondPrincipal},
		Wrap:   wrapScope(func(s *checkout.Scope) { s.Tenant, s.Principal = "", "" }),
	}, {
		Name:   "tenant-only-scope",
		Breaks: "shares keys between the customers of a tenant",
		Kills:  []string{"SRS-CHK-001.18"},
		Needs:  []string{needEffects, needSecondPrincipal},
		Wrap:   wrapScope(func(s *checkout.Scope) { s.Principal = "" }),
	}, {
		Name:   "principal-only-scope",
		Breaks: "shares keys between customers of one name in different tenants",
		Kills:  []string{"SRS-CHK-001.17", "SRS-CHK-SEC.02"},
		Needs:  []string{needEffects, needSecondTenant},
		Wrap:   wrapScope(func(s *checkout.Scope) { s.Tenant = "" }),
	}, {
		Name:   "key-shared-by-operations",
		Breaks: "takes a key that was used for a checkout for used when it comes with a cancellation",
		Kills:  []string{"SRS-CHK-001.19"},
		Needs:  []string{needEffects, needSecondOperation},
		Wrap:   wrapScope(func(s *checkout.Scope) { s.Operation = "" }),
	}, {
		Name:   "key-shared-by-versions",
		Breaks: "answers a key that was used in one version of the API in another as if it were the same",
		Kills:  []string{"SRS-CHK-001.20"},
		Needs:  []string{needEffects, needSecondVersion},
		Wrap:   wrapScope(func(s *checkout.Scope) { s.Version = "" }),
	}, {
		Name:   "scope-joined-by-colons",
		Breaks: "joins the parts of a scope with colons, and takes a key that looks joined for one that is",
		Kills:  []string{"SRS-CHK-001.21"},
		Needs:  []string{needSecondTenant, needSecondPrincipal},
		Wrap: wrapScope(func(s *checkout.Scope) {
			joined := s.Key
			if strings.Count(s.Key, ":") < 4 {
				joined = strings.Join([]string{s.Tenant, s.Principal, s.Operation, s.Version, s.Key}, ":")
			}
			s.Tenant, s.Principal, s.Operation, s.Version, s.Key = "", "", "", "", joined
		}),
	}, {
		Name:   "credential-for-principal",
		Breaks: "takes a customer with a new token for another customer",
		Kills:  []string{"SRS-CHK-001.22"},
		Needs:  []string{needEffects, needRefreshed},
		Wrap: func(c *checkout.Config) {
			right := c.Authenticate
			c.Authenticate = func(r *http.Request) (auth.Principal, error) {
				p, err := right(r)
				sum := sha256.Sum256([]byte(r.Header.Get("Authorization")))
				p.Subject += fmt.Sprintf(" %x", sum[:4])
				return p, err
			}
		},
	}}
}

func wrapScope(forget func(*checkout.Scope)) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Scope
		c.Scope = func(p auth.Principal, operation, version, key string) checkout.Scope {
			s := right(p, operation, version, key)
			forget(&s)
			return s
		}
	}
}
