package scenarios

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// neighbour returns another customer of the default principal's tenant.
func neighbour(s *harness.Session) (string, error) {
	return other(s, func(me, p harness.Principal) bool { return p.Tenant == me.Tenant })
}

// foreigner returns a customer of another tenant.
func foreigner(s *harness.Session) (string, error) {
	return other(s, func(me, p harness.Principal) bool { return p.Tenant != me.Tenant })
}

func other(s *harness.Session, fits func(me, p harness.Principal) bool) (string, error) {
	me, _ := s.Target().Principal(s.DefaultPrincipal())
	for _, p := range s.Target().Principals {
		if p.Name != me.Name && len(p.Roles) == 0 && fits(me, p) {
			return p.Name, nil
		}
	}
	return "", fmt.Errorf("the profile has no second customer that fits beside %q", me.Name)
}

// support returns a principal of the default principal's tenant with the
// support role.
func support(s *harness.Session) (string, error) {
	me, _ := s.Target().Principal(s.DefaultPrincipal())
	for _, p := range s.Target().Principals {
		if p.Tenant == me.Tenant && slices.Contains(p.Roles, "support") {
			return p.Name, nil
		}
	}
	return "", fmt.Errorf("the profile has no principal with the role support in tenant %s", me.Tenant)
}

// operation is a dependency operation with an effect.
type operation struct{ link, name, effect string }

func (o operation) fault(exchange int, cut harness.Point, a harness.Action) harness.Fault {
	return harness.Fault{Link: o.link, Operation: o.name, Exchange: exchange, Cut: harness.Cut{Point: cut}, Action: a}
}

// effecting returns the dependency operations whose effect belongs to one plain
// success: the ones every checkout calls. Where no effects are declared, all that
// have one.
func effecting(s *harness.Session) []operation {
	var ops []operation
	for _, l := range s.Target().Links {
		for _, o := range l.Operations {
			if o.Effect != "" && (len(s.Target().PerSuccess) == 0 || s.Target().PerSuccess[o.Effect] > 0) {
				ops = append(ops, operation{l.Name, o.Name, o.Effect})
			}
		}
	}
	return ops
}

// paying returns the operation that moves money.
func paying(s *harness.Session) (operation, error) {
	for _, effect := range []string{"charge", "capture", "authorization"} {
		for _, o := range effecting(s) {
			if o.effect == effect {
				return o, nil
			}
		}
	}
	return operation{}, fmt.Errorf("no dependency operation of the profile has the effect charge, capture or authorization (dependencies: ...: operations: ...: effect)")
}
