package mutants

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

const (
	versionTwo = "v2" // as records and scopes call it
	cancels    = "cancel"
)

// operationMutants guard the checkout, and forget a part of it for the operations
// beside it.
func operationMutants() []Mutant {
	return []Mutant{{
		Name:   "anyone-cancels",
		Breaks: "lets whoever knows a request's id cancel it, of any tenant",
		Kills:  []string{"SRS-CHK-003.09", "SRS-CHK-SEC.02"},
		Needs:  []string{needEffects, needSecondOperation, needSecondTenant, needSecondPrincipal},
		Wrap:   cancellingFor(func(auth.Principal, checkout.Owner) bool { return true }),
	}, {
		Name:   "colleague-cancels",
		Breaks: "lets every customer of a tenant cancel what another bought",
		Kills:  []string{"SRS-CHK-003.09"},
		Needs:  []string{needEffects, needSecondOperation, needSecondPrincipal},
		Wrap:   cancellingFor(func(p auth.Principal, o checkout.Owner) bool { return p.Tenant == o.Tenant }),
	}, {
		Name:   "cancel-of-anything",
		Breaks: "leaves what is to be cancelled out of the fingerprint, and answers for one checkout what it did to another",
		Kills:  []string{"SRS-CHK-001.34"},
		Needs:  []string{needEffects, needSecondOperation},
		Wrap: func(c *checkout.Config) {
			right := c.Fingerprint
			c.Fingerprint = func(r checkout.Request) string {
				if r.Cancels != "" {
					r.Order, r.Cancels = checkout.Order{}, "a checkout"
				}
				return right(r)
			}
		},
	}, {
		Name:   "unsigned-token-accepted",
		Breaks: "accepts a token that says of itself that it needs no signature",
		Kills:  []string{"SRS-CHK-001.12", "SRS-CHK-SEC.01"},
		Wrap: admitting(func(r *http.Request, err error) (auth.Principal, error) {
			if !strings.HasSuffix(r.Header.Get("Authorization"), ".") {
				return auth.Principal{}, err
			}
			return claimed(r, err)
		}),
	}, {
		Name:   "any-key-cancels",
		Breaks: "takes whatever stands in the key's header for a key of a cancellation",
		Kills:  []string{"SRS-CHK-001.04", "SRS-CHK-001.05", "SRS-CHK-001.06", "SRS-CHK-001.07", "SRS-CHK-001.10"},
		Needs:  []string{needEffects, needSecondOperation},
		Wrap:   looseKey("/cancel"),
	}, {
		Name:   "any-key-in-version-two",
		Breaks: "takes whatever stands in the key's header for a key in the second version of the API",
		Kills:  []string{"SRS-CHK-001.04", "SRS-CHK-001.05", "SRS-CHK-001.06", "SRS-CHK-001.07", "SRS-CHK-001.10"},
		Needs:  []string{needEffects, needSecondVersion},
		Wrap:   looseKey("/v2/checkout"),
	}, {
		Name:   "global-scope-of-cancellations",
		Breaks: "looks the key of a cancellation up without asking whose it is",
		Kills:  []string{"SRS-CHK-001.17", "SRS-CHK-001.18"},
		Needs:  []string{needEffects, needSecondOperation, needSecondTenant, needSecondPrincipal},
		Wrap: wrapScope(func(s *checkout.Scope) {
			if s.Operation == cancels {
				s.Tenant, s.Principal = "", ""
			}
		}),
	}, {
		Name:   "global-scope-in-version-two",
		Breaks: "looks a key up without asking whose it is in the second version of the API",
		Kills:  []string{"SRS-CHK-001.17", "SRS-CHK-001.18"},
		Needs:  []string{needEffects, needSecondVersion, needSecondTenant, needSecondPrincipal},
		Wrap: wrapScope(func(s *checkout.Scope) {
			if s.Version == versionTwo {
				s.Tenant, s.Principal = "", ""
			}
		}),
	}, {
		Name:   "cancel-replays-conflict",
		Breaks: "replays a cancellation to whoever brings its key, whatever is to be cancelled",
		Kills:  []string{"SRS-CHK-001.34"},
		Needs:  []string{needEffects, needSecondOperation},
		Wrap:   replayingConflict(func(r checkout.Record) bool { return r.Cancels != "" }),
	}, {
		Name:   "version-two-replays-conflict",
		Breaks: "replays a finished checkout of the second version of the API whatever the body",
		Kills:  []string{"SRS-CHK-001.34"},
		Needs:  []string{needEffects, needSecondVersion},
		Wrap:   replayingConflict(func(r checkout.Record) bool { return r.Version == versionTwo }),
	}, {
		Name:   "expired-executes-in-version-two",
		Breaks: "takes an expired key for a new one in the second version of the API",
		Kills:  []string{"SRS-CHK-001.11"},
		Needs:  []string{needClock, needSecondVersion},
		Wrap: wrapReserve(func(right reservation) reservation {
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				if r.Version == versionTwo && errors.Is(err, checkout.ErrExpired) {
					return right(ctx, elsewhere(r))
				}
				return stored, created, err
			}
		}),
	}, {
		Name:   "random-provider-key-in-version-two",
		Breaks: "makes a new provider key for each call in the second version of the API",
		Kills:  []string{"SRS-CHK-002.26"},
		Needs:  []string{needDependencies, needSecondVersion},
		Wrap:   randomProviderKey(func(r checkout.Record, _ string) bool { return r.Version == versionTwo }),
	}, {
		Name:   "random-provider-key-of-refunds",
		Breaks: "asks for a refund under a new provider key each time",
		Kills:  []string{"SRS-CHK-002.26"},
		Needs:  []string{needDependencies, needSecondOperation},
		Wrap:   randomProviderKey(func(_ checkout.Record, operation string) bool { return operation == "refund" }),
	}, {
		Name:   "random-provider-key-of-voids",
		Breaks: "undoes a payment under a new provider key each time",
		Kills:  []string{"SRS-CHK-002.26"},
		Needs:  []string{needEffects, needDependencies},
		Wrap:   randomProviderKey(func(_ checkout.Record, operation string) bool { return operation == "void" }),
	}}
}

// cancellingFor takes who cancels for the owner of what is cancelled, where may says
// so.
func cancellingFor(may func(auth.Principal, checkout.Owner) bool) func(*checkout.Config) {
	return func(c *checkout.Config) {
		store := c.Store
		wrapAuthenticate(func(r *http.Request, p auth.Principal, err error) (auth.Principal, error) {
			path, isCancel := strings.CutSuffix(r.URL.Path, "/cancel")
			if err != nil || !isCancel {
				return p, err
			}
			sold, unknown := store.Load(r.Context(), strings.TrimPrefix(path, "/checkout/"))
			if unknown == nil && may(p, sold.Owner) {
				p.Tenant, p.Subject = sold.Owner.Tenant, sold.Owner.Subject
			}
			return p, nil
		})(c)
	}
}

// looseKey makes a good key of any, where the path ends so.
func looseKey(suffix string) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Authenticate
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			if lines := r.Header.Values(checkout.KeyHeader); len(lines) > 0 && strings.HasSuffix(r.URL.Path, suffix) {
				sum := sha256.Sum256([]byte(lines[0]))
				r.Header.Set(checkout.KeyHeader, hex.EncodeToString(sum[:]))
			}
			return right(r)
		}
	}
}

// replayingConflict answers a used key with what is stored, of some records.
func replayingConflict(of func(checkout.Record) bool) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right, replay := c.Conflict, c.Replay
		c.Conflict = func(ctx context.Context, stored checkout.Record, id string) checkout.Answer {
			if stored.State.Terminal() && of(stored) {
				return replay(ctx, stored)
			}
			return right(ctx, stored, id)
		}
	}
}

// randomProviderKey makes a key that no later try will make again, for some calls.
func randomProviderKey(of func(r checkout.Record, operation string) bool) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.ProviderKey
		c.ProviderKey = func(r checkout.Record, operation string) string {
			if of(r, operation) {
				return rand.Text()
			}
			return right(r, operation)
		}
	}
}
