package harness

import (
	"slices"
	"strings"
)

// Scope is what makes a key one request and not another: equal scopes share
// their effects and answers, different ones never see each other. Its members
// are empty where the dialect does not look at them.
type Scope struct{ Tenant, Principal, Operation, Key string }

// ScopeOf returns the scope of a request. The tenant is always part of it: no
// dialect excuses one tenant's key from meeting another's. Versions of the API
// are operations of their own in a profile.
func (d Dialect) ScopeOf(r Request) Scope {
	s := Scope{Tenant: r.Tenant, Key: strings.Join(r.Keys, "\n")}
	if d.DuplicateHeader == "first" && len(r.Keys) > 0 {
		s.Key = r.Keys[0]
	}
	if d.ScopedBy("principal") {
		s.Principal = r.Principal
	}
	if d.ScopedBy("operation") || d.ScopedBy("version") {
		s.Operation = r.Operation
	}
	return s
}

// ScopedBy reports whether the dialect's keys belong to that element: tenant,
// principal, operation or version.
func (d Dialect) ScopedBy(element string) bool { return slices.Contains(d.Scope, element) }

// Keyless reports whether the dialect takes the request for one without a key:
// where a key may be missing, a blank line is none.
func (d Dialect) Keyless(r Request) bool {
	for _, line := range r.Keys {
		if !d.Missing.Execute || strings.TrimSpace(line) != "" {
			return false
		}
	}
	return true
}
