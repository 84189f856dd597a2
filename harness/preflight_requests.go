package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// routeClaims are those about the routes of the profile that are no operations of
// their own: the status route, and the variant that is declined.
func (s *Session) routeClaims(known string, wanted func(Capability) bool) []claim {
	var claims []claim
	if wanted(CapStatus) {
		claims = append(claims, claim{string(CapStatus), "status",
			func(ctx context.Context, c *Case) (string, error) { return s.readOwn(ctx, c, known) }})
	}
	if wanted(CapDecline) {
		claims = append(claims, claim{string(CapDecline), "checkout.variants.declined", s.tryDecline})
	}
	return claims
}

// readOwn reads a checkout of the default principal's.
func (s *Session) readOwn(ctx context.Context, c *Case, known string) (string, error) {
	r := s.Send(ctx, c, Attempt{Operation: OpStatus, Principal: s.DefaultPrincipal(), Vars: map[string]any{"requestId": known}})
	switch a := r.Answer; {
	case r.Err != nil:
		return "", fmt.Errorf("a status read of a checkout that was made got no answer: %w", r.Err)
	case r.Class != ClassSuccess:
		return "", fmt.Errorf("a status read of a checkout that was made was answered %s, not with a success", r.describe())
	case !s.isOf(a, known):
		return "", fmt.Errorf("a status read of the checkout %s was answered %s and names request %q, order %q", known, r.describe(), a.RequestID, a.OrderID)
	}
	return "a status read of a checkout that was made names it", nil
}

// isOf reports whether an answer names the checkout that goes by that id.
func (s *Session) isOf(a Answer, known string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return a.RequestID == known || a.OrderID == known || a.OrderID != "" && a.OrderID == s.orders[known]
}

// tryDecline sends the variant that has to fail for good. Where the dialect does
// not say how, any refusal will do.
func (s *Session) tryDecline(ctx context.Context, c *Case) (string, error) {
	r, err := s.ended(ctx, c, Attempt{Principal: s.DefaultPrincipal(), Variant: "declined"})
	anyRefusal := len(s.target.Info.Dialect.Declined.Statuses) == 0 && r.Class == ClassRefused
	switch {
	case err != nil:
		return "", fmt.Errorf("a checkout that is to be declined %w", err)
	case r.Class != ClassDeclined && !anyRefusal:
		return "", fmt.Errorf("a checkout that is to be declined was answered %s", r.describe())
	}
	return "the variant was declined: " + r.describe(), nil
}

// operationClaims are those about the keyed operations besides the checkout. All
// of them are tried: a scenario that needs one shows nothing of the others.
func (s *Session) operationClaims() []claim {
	var claims []claim
	for _, o := range s.target.Info.Operations {
		if s.target.Info.offers(o.Capability) {
			claims = append(claims, claim{string(o.Capability) + "." + o.Name, "operations." + o.Name,
				func(ctx context.Context, c *Case) (string, error) { return s.tryOperation(ctx, c, o) }})
		}
	}
	return claims
}

// tryOperation makes a plain checkout and lets the operation act on it. One that
// names neither request nor order may want a cart that is not sold yet: where it
// refuses the first it gets another.
func (s *Session) tryOperation(ctx context.Context, c *Case, o KeyedOperation) (string, error) {
	first, err := s.ended(ctx, c, Attempt{Principal: s.DefaultPrincipal()})
	if err != nil || first.Class != ClassSuccess {
		return "", fmt.Errorf("the plain checkout that it was to act on %w", cmp.Or(err, errors.New("was answered "+first.describe())))
	}
	a := Attempt{Operation: o.Name, Principal: cmp.Or(o.Principal, s.DefaultPrincipal()),
		Keys: []string{s.target.Info.Dialect.KeyLine(s.Key(c.Label + o.Name))},
		Vars: map[string]any{"requestId": first.Answer.RequestID, "orderId": first.Answer.OrderID}}
	r, err := s.ended(ctx, c, a)
	cases := []*Case{c}
	if err == nil && r.Class != ClassSuccess && !o.Refers {
		fresh := s.Case(c.Label + "-of-a-fresh-cart")
		cases = append(cases, fresh)
		a.Keys = nil
		r, err = s.ended(ctx, fresh, a)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("it %w", err)
	case r.Class != ClassSuccess:
		return "", fmt.Errorf("it was answered %s, not with a success", r.describe())
	}
	return "it was answered " + r.describe(), s.leaves(ctx, o, cases)
}

// leaves compares what the ledger shows of a plain checkout and a success of the
// operation with what the profile says that both leave. Where it says otherwise,
// nothing that is counted of the operation could be believed.
func (s *Session) leaves(ctx context.Context, o KeyedOperation, cases []*Case) error {
	if s.target.Probe == nil || o.Effects == nil {
		return nil
	}
	entries, err := s.Settle(ctx)
	if err != nil {
		return fmt.Errorf("what it leaves in the ledger is not known: %w", err)
	}
	got, want := map[string]int64{}, map[string]int64{}
	for _, e := range entries {
		if slices.ContainsFunc(cases, func(c *Case) bool { return c.ID == e.Case }) {
			got[e.Effect.Kind]++
		}
	}
	for _, each := range []map[string]int{s.target.Info.PerSuccess, o.Effects} {
		for kind, n := range each {
			want[kind] += int64(n)
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("a plain checkout and it left %s, wanted %s as effects.perSuccess and operations.%s.effects say", counts(got), counts(want), o.Name)
	}
	return nil
}

// ended sends an attempt and repeats it until it has ended.
func (s *Session) ended(ctx context.Context, c *Case, a Attempt) (Result, error) {
	r := s.Send(ctx, c, a)
	if r.Err == nil && !r.terminal() {
		r = s.Converge(ctx, c, a)
	}
	if r.Err != nil {
		return r, fmt.Errorf("got no answer: %w", r.Err)
	}
	return r, nil
}
