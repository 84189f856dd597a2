package doctor

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// principals says of each identity whether it was let in, compared with what
// somebody without credentials gets.
func (x *examination) principals() {
	anonymous := x.seen[""].answer
	if refused(anonymous) {
		x.add("no credentials", OK, "", "are refused: %s", shown(anonymous))
	} else {
		x.add("no credentials", Hint, "is the API open, or does it check other things first? ownership means little on an open API",
			"are not refused: %s was answered %s", x.what(), shown(anonymous))
	}
	for _, name := range x.names() {
		s := x.seen[name]
		subject := "principal " + name
		next := "check principals." + name + ".header: is the token right and not expired, and the variable set?"
		switch a := s.answer; {
		case s.err != nil:
			x.let[name] = false
			x.add(subject, Broken, "", "%s got no answer: %v", x.what(), s.err)
		case a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden && anonymous.Status != http.StatusUnauthorized:
			x.let[name] = false
			x.add(subject, Broken, next, "is refused: %s was answered %s", x.what(), shown(a))
		case a.Status >= http.StatusInternalServerError:
			x.let[name] = false
			x.add(subject, Broken, "look into the target's log", "cannot be told: %s was answered %s", x.what(), shown(a))
		case a.Status == anonymous.Status && a.Code == anonymous.Code:
			x.add(subject, Untried, "oncecheck doctor --send tries a checkout", "cannot be told: %s was answered %s, as without credentials", x.what(), shown(a))
		default:
			x.let[name] = true
			x.add(subject, OK, "", "is let in: %s was answered %s", x.what(), shown(a))
		}
	}
}

func refused(a harness.Answer) bool {
	return a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden
}

// distinct compares the credentials of the principals: two names for one
// identity would prove nothing about scopes.
func (x *examination) distinct() {
	names := x.names()
	same := false
	for i, a := range names {
		for _, b := range names[i+1:] {
			if maps.Equal(x.subject.Headers[a], x.subject.Headers[b]) {
				same = true
				x.add("principals", Broken, "give each principal credentials of its own", "%s and %s send the same credentials: they are one identity under two names", a, b)
			}
		}
	}
	if !same && len(names) > 1 {
		x.add("principals", OK, "", "%d, each with credentials of its own", len(names))
	}
}

// customer returns the first principal without a role that fits.
func (x *examination) customer(fits func(harness.Principal) bool) (harness.Principal, bool) {
	all := x.subject.Info.Principals
	i := slices.IndexFunc(all, func(p harness.Principal) bool { return len(p.Roles) == 0 && fits(p) })
	if i < 0 {
		return harness.Principal{}, false
	}
	return all[i], true
}

// first is who acts where a scenario does not say.
func (x *examination) first() harness.Principal {
	p, _ := x.customer(func(harness.Principal) bool { return true })
	return p
}

// identities says what is known of the capabilities that rest on principals.
func (x *examination) identities() {
	me := x.first()
	pair := func(c harness.Capability, fits func(harness.Principal) bool) {
		other, found := x.customer(func(p harness.Principal) bool { return p.Name != me.Name && fits(p) })
		if !found {
			return
		}
		if maps.Equal(x.subject.Headers[me.Name], x.subject.Headers[other.Name]) {
			x.say(c, NotWork, fmt.Sprintf("%s and %s send the same credentials", me.Name, other.Name))
		}
		x.sayOf(c, me.Name, other.Name)
	}
	pair(harness.CapSecondPrincipal, func(p harness.Principal) bool { return p.Tenant == me.Tenant })
	pair(harness.CapSecondTenant, func(p harness.Principal) bool { return p.Tenant != me.Tenant })
	role := func(c harness.Capability, fits func(harness.Principal) bool) {
		if i := slices.IndexFunc(x.subject.Info.Principals, func(p harness.Principal) bool { return len(p.Roles) > 0 && fits(p) }); i >= 0 {
			x.sayOf(c, x.subject.Info.Principals[i].Name)
		}
	}
	supports := func(p harness.Principal) bool { return slices.Contains(p.Roles, "support") }
	role(harness.CapSupportRole, supports)
	role(harness.CapOtherRole, func(p harness.Principal) bool { return !supports(p) })
}

// sayOf says of a capability whether all of the principals it rests on were let
// in.
func (x *examination) sayOf(c harness.Capability, names ...string) {
	state, reason := Works, ""
	for _, name := range names {
		switch in, known := x.let[name]; {
		case known && !in:
			state, reason = NotWork, name+" is not let in"
		case !known && state == Works:
			state, reason = NotTried, "whether "+name+" is let in cannot be told"
		}
	}
	x.say(c, state, reason)
}
