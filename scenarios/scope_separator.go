package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func scopeSeparator() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/scope-separator",
		Title: "a key that spells out somebody else's scope is not theirs, whatever separates its parts",
		Needs: harness.Needs{"checkout", "second-tenant"},
		Drive: driveSeparators,
		Checks: []harness.Check{
			answers("SRS-CHK-001.21", "scope-is-no-joined-text", check.Unless(check.NoRoomForScopes, check.Unless(check.NotScopedBy("tenant"), check.ScopesIndependent(every, 2)))),
			supplement(effects("SRS-CHK-001.21", "effects-of-both-scopes", check.Unless(check.NotScopedBy("tenant"), check.EffectsMatchSuccesses(every)))),
			invariant("I5", "scopes-independent", check.ScopesIndependent(every, 2)),
		},
	}
}

// separators are what the parts of a scope may have been joined with, by names
// that labels can have.
func separators() []struct{ name, text string } {
	return []struct{ name, text string }{{"colon", ":"}, {"pipe", "|"}, {"slash", "/"}, {"comma", ","}, {"dot", "."}, {"underscore", "_"}, {"hash", "#"}}
}

// driveSeparators lets one customer send keys that begin with the scope of
// another, who then sends the rest of the key. A target that joins the parts of a
// scope to one text may take both for one. All that is known of the other's scope
// is what the profile calls it: the tenant, the principal, or both.
func driveSeparators(ctx context.Context, s *harness.Session) error {
	stranger, err := foreigner(s)
	if err != nil {
		return err
	}
	them, _ := s.Target().Principal(stranger)
	scopes := []hostile{{"tenant", stranger, []string{them.Tenant}}, {"both", stranger, []string{them.Tenant, them.Name}}}
	if near, err := neighbour(s); err == nil {
		they, _ := s.Target().Principal(near)
		scopes = append(scopes, hostile{"principal", near, []string{they.Name}}, hostile{"both-near", near, []string{they.Tenant, they.Name}})
	}
	if check.NoRoomForScopes(s.Target().Dialect) != "" {
		c := s.Case("plain") // no key is long enough to spell a scope out
		for _, principal := range []string{s.DefaultPrincipal(), stranger} {
			s.Send(ctx, c, harness.Attempt{Principal: principal})
		}
		return nil
	}
	var pairs []func()
	for _, h := range scopes {
		for _, sep := range separators() {
			for _, times := range []int{1, 2} {
				c := s.Case(h.label + "-" + sep.name + strings.Repeat("-doubled", times-1))
				if joined, key, fits := h.keys(s, c, strings.Repeat(sep.text, times)); fits {
					pairs = append(pairs, func() {
						s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal(), Keys: []string{joined}})
						s.Send(ctx, c, harness.Attempt{Principal: h.principal, Keys: []string{key}})
					})
				}
			}
		}
	}
	if len(pairs) == 0 {
		return fmt.Errorf("the names of tenants and principals are too long for a key of at most %d characters to hold them", s.Target().Dialect.KeyMax)
	}
	return harness.Parallel(len(pairs), func(i int) error { pairs[i](); return nil })
}

// hostile is a customer whose scope somebody else spells out.
type hostile struct {
	label, principal string
	parts            []string
}

// keys returns the header lines of a key that spells out the customer's scope and
// of the key that is at its end, and whether the first is not too long.
func (h hostile) keys(s *harness.Session, c *harness.Case, separator string) (joined, key string, fits bool) {
	d := s.Target().Dialect
	key = strings.ReplaceAll(c.Key, "-", "") // so that no separator is in it
	key = key[:min(len(key), max(16, d.KeyMin))]
	for len(key) < d.KeyMin {
		key += key
	}
	parts := append(append([]string{}, h.parts...), harness.OpCheckout, cmp.Or(s.Target().APIVersion, "v1"), key)
	joined = strings.Join(parts, separator)
	return d.KeyLine(joined), d.KeyLine(key), d.KeyMax == 0 || len(joined) <= d.KeyMax
}
