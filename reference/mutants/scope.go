package mutants

import (
	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

func scopeMutants() []Mutant {
	return []Mutant{{
		Name:   "global-key-scope",
		Breaks: "looks a key up without asking whose it is",
		Kills:  []string{"SRS-CHK-001.17", "SRS-CHK-001.18"},
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
		Kills:  []string{"SRS-CHK-001.17"},
		Needs:  []string{needEffects, needSecondTenant},
		Wrap:   wrapScope(func(s *checkout.Scope) { s.Tenant = "" }),
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
