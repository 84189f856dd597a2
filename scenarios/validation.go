package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// wrong is a request with one member that is missing or says something that no
// checkout can mean.
type wrong struct {
	label string
	field harness.Field
	unset bool
	value any
}

// wrongs are the members that a checkout has to have, and the clauses that say so.
// A value is in the list only if no API could mean anything by it.
func wrongs() []wrong {
	var all []wrong
	for _, f := range []struct {
		name   string
		field  harness.Field
		values map[string]any
	}{
		{"cart", harness.FieldCart, map[string]any{"empty": "", "blank": "  ", "object": map[string]any{}}},
		{"version", harness.FieldVersion, map[string]any{"negative": -1, "fraction": 1.5, "word": "one"}},
		{"currency", harness.FieldCurrency, map[string]any{"empty": "", "unknown": "ZZZ", "long": "EURO", "number": 978}},
		{"payment", harness.FieldPayment, map[string]any{"empty": "", "blank": "  ", "list": []any{}}},
	} {
		all = append(all, wrong{f.name + "-absent", f.field, true, nil}, wrong{f.name + "-null", f.field, false, nil})
		for _, how := range slices.Sorted(maps.Keys(f.values)) {
			all = append(all, wrong{f.name + "-" + how, f.field, false, f.values[how]})
		}
	}
	return all
}

// requiredFields sends every wrong request, and then the right one under its key:
// what was refused for its content has not used the key up.
func requiredFields() harness.Scenario {
	every := check.All()
	refused := func(clause harness.ClauseID, field string) harness.Check {
		var labels []string
		for _, w := range wrongs() {
			if strings.HasPrefix(w.label, field+"-") {
				labels = append(labels, w.label)
			}
		}
		return answers(clause, field+"-required", check.Literally(check.ErrorSpelling, check.WhereTried(labels, check.InvalidRefused(check.Labelled(field+"-")))))
	}
	return harness.Scenario{
		ID:    "validation/required-fields",
		Title: "a checkout without a cart, a version, a currency or a payment, or with one that means nothing, is refused before anything is called; the right one then works under the same key",
		Needs: harness.Needs{"checkout", "dependencies", "request-fields"},
		Drive: driveRequiredFields,
		Checks: []harness.Check{
			refused("SRS-CHK-001.13", "cart"), refused("SRS-CHK-001.13", "version"),
			refused("SRS-CHK-001.14", "currency"), refused("SRS-CHK-001.15", "payment"),
			supplement(answers("SRS-CHK-001.16", "key-is-free-after-each-refusal", check.RefusalFreesKey(every))),
			supplement(effects("SRS-CHK-001.16", "one-effect-after-each-refusal", check.EffectsMatchSuccesses(every))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

func driveRequiredFields(ctx context.Context, s *harness.Session) error {
	me, fields, all := s.DefaultPrincipal(), s.Target().Fields, wrongs()
	return harness.Parallel(keyCallers, func(caller int) error {
		for i := caller; i < len(all); i += keyCallers {
			w := all[i]
			name := fields[w.field]
			if name == "" {
				return fmt.Errorf("the profile does not say which member of the body is the %s (checkout.fields)", w.field)
			}
			bad := harness.Attempt{Principal: me, Set: map[string]any{name: w.value}}
			if w.unset {
				bad = harness.Attempt{Principal: me, Unset: []string{name}}
			}
			c := s.Case(w.label)
			s.Send(ctx, c, bad)
			s.Send(ctx, c, harness.Attempt{Principal: me})
		}
		return nil
	})
}

// keyFreeAfterRefusal needs to know no more of the body than where the cart stands.
func keyFreeAfterRefusal() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "validation/key-stays-free",
		Title: "a request is refused for its content, twice; the right one then executes once under the same key and is replayed",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			cart, known := s.Target().Fields[harness.FieldCart]
			if !known {
				return fmt.Errorf("the profile does not say which member of the body is the cart (checkout.fields.cart)")
			}
			c, right := s.Case("cart-absent"), harness.Attempt{Principal: s.DefaultPrincipal()}
			wrong := right
			wrong.Unset = []string{cart}
			for _, a := range []harness.Attempt{wrong, wrong, right, right} {
				s.Send(ctx, c, a)
			}
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.16", "key-is-free-after-a-refusal", check.RefusalFreesKey(every)),
			effects("SRS-CHK-001.16", "one-effect-after-a-refusal", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}
