package auth

import "slices"

// RoleSupport may read every checkout of its own tenant.
const RoleSupport = "support"

// Principal is an authenticated caller. Subject is unique only within Tenant:
// two tenants may both have an "alice".
type Principal struct {
	Tenant  string
	Subject string
	Roles   []string
}

// Has reports whether the principal was granted role.
func (p Principal) Has(role string) bool { return slices.Contains(p.Roles, role) }
