package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/client"
)

// Resource says what a result is a result of. All parts count, each in a column
// of its own, so that no separator can be forged.
type Resource struct {
	Tenant, Owner string
	Method        string
	Target        string // path and query as the dependency sees them
	Call          string // digest of key and body of a write; empty for a read, and for a write without a key
}

// Repeatable reports whether the same can be asked for again. A write without a
// key cannot: a second one is another write.
func (r Resource) Repeatable() bool { return r.Method == http.MethodGet || r.Call != "" }

// Entry is a stored result.
type Entry struct {
	Resource
	Status   int
	Header   http.Header // what belongs to the body, see [Safe]
	Body     []byte
	StoredAt time.Time
}

// ErrNone is returned by a [Store] that holds no result of a resource.
var ErrNone = errors.New("no result is stored")

// Store keeps results. It is safe for concurrent use.
type Store interface {
	// Keep stores a result in place of an earlier one of the same resource, and
	// removes those that were stored before oldest.
	Keep(ctx context.Context, e Entry, oldest time.Time) error

	// Find returns the result of a resource, or [ErrNone].
	Find(ctx context.Context, r Resource) (Entry, error)
}

// ResourceOf is the default [Seams.ResourceOf]. A write is the same only with the
// same key and the same bytes. Key and body enter as a digest: the store has to
// recognise them and needs not know them.
func ResourceOf(p auth.Principal, method, target, key string, body []byte) Resource {
	r := Resource{Tenant: p.Tenant, Owner: p.Subject, Method: method, Target: target}
	if method != http.MethodGet && key != "" {
		ofKey, ofBody := sha256.Sum256([]byte(key)), sha256.Sum256(body)
		// Of one length each, so that no byte can move from the one to the other.
		sum := sha256.Sum256(append(ofKey[:], ofBody[:]...))
		r.Call = hex.EncodeToString(sum[:])
	}
	return r
}

// Safe is the default [Seams.Safe]: a complete success that the dependency lets
// us keep.
func Safe(r Resource, resp client.Response) bool {
	if !r.Repeatable() || resp.Status < 200 || resp.Status > 299 || resp.Status == http.StatusPartialContent {
		return false
	}
	for _, line := range resp.Header.Values("Cache-Control") {
		if strings.Contains(strings.ToLower(line), "no-store") {
			return false
		}
	}
	return true
}

// Fresh is the default [Seams.Fresh]. A result from the future, which a clock
// that was set back makes, has no known age.
func Fresh(age, limit time.Duration) bool { return age >= 0 && age <= limit }

// Owns is the default [Seams.Authorize]: a result belongs to whom it was given.
func Owns(p auth.Principal, r Resource) bool { return p.Tenant == r.Tenant && p.Subject == r.Owner }
