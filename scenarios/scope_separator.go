package scenarios

import (
	"cmp"
	"context"
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
			answers("SRS-CHK-001.21", "scope-is-no-joined-text", check.Unless(check.NotScopedBy("tenant"), check.ScopesIndependent(every, 2))),
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
	var pairs []func()
	for _, h := range scopes {
		for _, sep := range separators() {
			for _, times := range []int{1, 2} {
				c := s.Case(h.label + "-" + sep.name + strings.Repeat("-doubled", times-1))
				pairs = append(pairs, func() { h.send(ctx, s, c, strings.Repeat(sep.text, times)) })
			}
		}
	}
	return harness.Parallel(len(pairs), func(i int) error { pairs[i](); return nil })
}

// hostile is a customer whose scope somebody else spells out.
type hostile struct {
	label, principal string
	parts            []string
}

// send sends the joined key as somebody else, and then the key itself as the
// customer.
func (h hostile) send(ctx context.Context, s *harness.Session, c *harness.Case, separator string) {
	d := s.Target().Dialect
	key := strings.ReplaceAll(c.Key, "-", "") // so that no separator is in it
	parts := append(append([]string{}, h.parts...), harness.OpCheckout, cmp.Or(s.Target().APIVersion, "v1"), key)
	s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal(), Keys: []string{d.KeyLine(strings.Join(parts, separator))}})
	s.Send(ctx, c, harness.Attempt{Principal: h.principal, Keys: []string{d.KeyLine(key)}})
}
