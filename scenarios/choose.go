package scenarios

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// neighbour returns another customer of the default principal's tenant.
func neighbour(s *harness.Session) (string, error) {
	return other(s, func(me, p harness.Principal) bool { return p.Tenant == me.Tenant })
}

// foreigner returns a customer of another tenant, one with the name of the default
// principal if there is one: who forgets the tenant takes them for the same.
func foreigner(s *harness.Session) (string, error) {
	namesake, err := other(s, func(me, p harness.Principal) bool { return p.Tenant != me.Tenant && p.NamedLike(me) })
	if err == nil {
		return namesake, nil
	}
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
// success, of the dependencies that every checkout calls. Where no effects are
// declared, all that have one.
func effecting(s *harness.Session) []operation {
	var ops []operation
	for _, l := range s.Target().Links {
		for _, o := range l.Operations {
			if o.Effect != "" && !l.Optional && (len(s.Target().PerSuccess) == 0 || s.Target().PerSuccess[o.Effect] > 0) {
				ops = append(ops, operation{l.Name, o.Name, o.Effect})
			}
		}
	}
	return ops
}

// knows reports whether the profile has that answer of the operation, in the
// dependency's own words.
func knows(s *harness.Session, o operation, answer string) bool {
	return slices.ContainsFunc(s.Target().Links, func(l harness.LinkInfo) bool {
		return l.Name == o.link && slices.ContainsFunc(l.Operations, func(i harness.OperationInfo) bool {
			return i.Name == o.name && slices.Contains(i.Answers, answer)
		})
	})
}

// queriesOf returns the operations that ask the dependency of another what became of
// it.
func queriesOf(s *harness.Session, of operation) []operation {
	var ops []operation
	for _, l := range s.Target().Links {
		for _, o := range l.Operations {
			if l.Name == of.link && o.Query {
				ops = append(ops, operation{link: l.Name, name: o.Name})
			}
		}
	}
	return ops
}

// undoing returns the operation that takes back the effect of another. A void is
// what a target does about a failure, a refund what it does for a customer.
func undoing(s *harness.Session, of operation) (undo operation, known bool) {
	for _, l := range s.Target().Links {
		for _, o := range l.Operations {
			if l.Name == of.link && o.Effect != "" && harness.Reversed(o.Effect) == of.effect && (!known || o.Effect == "void") {
				undo, known = operation{l.Name, o.Name, o.Effect}, true
			}
		}
	}
	return undo, known
}

// handle returns what an answer gives to read the status by: the request id, or
// the end of its Location.
func handle(r harness.Result) string {
	if r.Answer.RequestID != "" {
		return r.Answer.RequestID
	}
	for name, values := range r.Answer.Header {
		if strings.EqualFold(name, "Location") && len(values) > 0 {
			return path.Base(values[0])
		}
	}
	return ""
}

// keyless returns the operations with an effect whose dependency takes no key, and
// the variant of the checkout that calls them.
func keyless(s *harness.Session) (ops []operation, variant string) {
	for _, l := range s.Target().Links {
		for _, o := range l.Operations {
			if o.Keyless && o.Effect != "" {
				ops = append(ops, operation{l.Name, o.Name, o.Effect})
				if l.Optional {
					variant = variantKeyless
				}
			}
		}
	}
	return slices.DeleteFunc(ops, func(o operation) bool { return o.effect == "void" || o.effect == "release" }), variant
}

// The variants of the checkout that the suite knows by name.
const (
	variantDeclined = "declined" // its payment fails for good
	variantKeyless  = "keyless"  // it calls what takes no keys
)

// errNothingEffecting says why there is nothing to let fail.
var errNothingEffecting = errors.New("no dependency operation of the profile has an effect that effects.perSuccess counts")

// errNobodyAsked says why no state can be read.
var errNobodyAsked = errors.New("no dependency with an effect has an operation that asks for it; declare it (dependencies: ...: operations: ...: query: true)")

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
