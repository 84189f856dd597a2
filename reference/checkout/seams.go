package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/auth"
)

// ScopeOf is the default [Config.Scope]: every part counts, each in a column of
// its own, so that no separator can be forged.
func ScopeOf(p auth.Principal, operation, version, key string) Scope {
	return Scope{Tenant: p.Tenant, Principal: p.Subject, Operation: operation, Version: version, Key: key}
}

// Request is a validated request beside what it came in.
type Request struct {
	Order   Order
	Cancels string // request id of the checkout to cancel; empty: Order is to be bought
	Header  http.Header
	Body    []byte
}

// Fingerprint is the default [Config.Fingerprint]: a digest of the validated
// fields in a fixed order. Member order, spacing and headers do not count.
func Fingerprint(r Request) string {
	canonical, err := json.Marshal(struct {
		Order
		Cancels string `json:"cancels,omitempty"`
	}{r.Order, r.Cancels})
	if err != nil {
		panic("an order of strings and numbers is always JSON: " + err.Error())
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// ProviderKey is the default [Config.ProviderKey]. It depends on the request id
// and the operation alone: the same over attempts and restarts, another for each
// checkout, and nothing of the client's key, which two tenants may share.
func ProviderKey(r Record, operation string) string {
	sum := sha256.Sum256([]byte(r.RequestID + "\x00" + operation))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Reconcile is the default [Config.Reconcile]: ask, and only a provider that
// knows of no charge lets another attempt happen.
func Reconcile(ctx context.Context, _ Record, query func(context.Context) (string, error)) (string, error) {
	return query(ctx)
}

// Access is what a caller may know of a record.
type Access int

// The levels of access. The zero value is the least.
const (
	Hidden    Access = iota // not even that it exists
	Forbidden               // that it exists
	Granted                 // what it says
)

// Authorize is the default [Config.Authorize]. The tenant comes first, so that
// no role reaches across tenants; inside one, existence shows and content does
// not.
func Authorize(p auth.Principal, r Record) Access {
	switch {
	case p.Tenant != r.Owner.Tenant:
		return Hidden
	case p.Subject == r.Owner.Subject || p.Has(auth.RoleSupport):
		return Granted
	}
	return Forbidden
}
