package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// CapInstances is the capability that the service can be called at several
// addresses, one for each of several processes that share what they know.
const CapInstances Capability = "instances"

// instanceClaims are those about further instances: that each of them knows what
// the first was told. One that shares nothing with it is another service.
func (s *Session) instanceClaims(known string, wanted func(Capability) bool) []claim {
	if !wanted(CapInstances) {
		return nil
	}
	return []claim{{string(CapInstances), "target.instances", func(ctx context.Context, c *Case) (string, error) { return s.tryInstances(ctx, c, known) }}}
}

// tryInstances makes a checkout at the first instance and asks every other one
// about it: for its status or, where there is no route or no known request to ask
// for, by a repetition.
func (s *Session) tryInstances(ctx context.Context, c *Case, known string) (string, error) {
	a := Attempt{Operation: OpStatus, Principal: s.DefaultPrincipal(), Vars: map[string]any{"requestId": known}}
	wanted := known
	if known == "" || !s.target.Info.offers(CapStatus) {
		a = Attempt{Principal: s.DefaultPrincipal()}
		first, err := s.ended(ctx, c, a)
		if err != nil {
			return "", fmt.Errorf("a plain checkout at the first instance %w", err)
		}
		wanted = first.Answer.OrderID
	}
	if wanted == "" {
		return "", errors.New("a plain checkout at the first instance named no order by which another could be asked; declare response.orderId")
	}
	var seen []string
	for i := 1; i < s.target.Info.Instances; i++ {
		a.Instance = i
		r, err := s.ended(ctx, c, a)
		switch {
		case err != nil:
			return "", fmt.Errorf("a question to instance %d about a checkout at the first %w", i+1, err)
		case r.Class != ClassSuccess || !s.isOf(r.Answer, wanted):
			return "", fmt.Errorf("instance %d was asked about a checkout at the first and answered %s: it shares nothing with it", i+1, r.describe())
		}
		seen = append(seen, fmt.Sprintf("instance %d knows what the first was told", i+1))
	}
	return strings.Join(seen, "; "), nil
}
