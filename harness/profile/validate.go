package profile

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// fillable returns the names that a session can fill. What comes from an answer
// is not known before there was one.
func fillable(further ...string) []string {
	return append([]string{"cart", "amount", "reference", "correlationId"}, further...)
}

// validate reports what is well-formed but makes no sense. The reach of the
// target comes first: it is what a user must know before anything else.
func (p *Profile) validate(src *source) {
	p.validateTarget(src)
	src.oneOf("requirements", p.Requirements, []string{"srs", "own"})
	p.validateDialect(src)
	p.validatePrincipals(src)
	p.validateCheckout(src)
	p.validateOperations(src)
	p.validateEffects(src)
	p.validateDependencies(src)
	p.validateWebhooks(src)
	p.validateGateway(src)
	p.validateClient(src)
	p.validateInjectors(src)
	p.validateInside(src)
	p.validateNumbers(src)
}

func (p *Profile) validateTarget(src *source) {
	if p.Target.Name == "" {
		src.wrong("target.name", "is required: evidence names its target")
	}
	if p.Target.URL == "" {
		if !p.onlyClient() {
			src.wrong("target.url", "is required: the absolute http or https URL of the system under test")
		}
		return
	}
	u := src.url("target.url", p.Target.URL)
	if u == nil {
		return
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		src.wrong("target.url", "must have no query and no fragment: paths are appended to it")
	}
	if p.Target.CA != "" && u.Scheme != "https" {
		src.wrong("target.ca", "is for an https target; target.url begins with http://")
	}
	p.Target.validateMaintenance(src)
	if !isLoopback(u.Hostname()) && !p.Target.Owned {
		src.wrong("target.url", "%s", p.reachText("target.url", u))
	}
	p.validateInstances(src, u)
}

// validateInstances holds the further instances to what holds for the first.
func (p *Profile) validateInstances(src *source, first *url.URL) {
	const at = "target.instances" // of all of them: a list has no keys
	for i, raw := range p.Target.Instances {
		u := src.url(at, raw)
		if u == nil {
			continue
		}
		switch {
		case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
			src.wrong(at, "must each have no query and no fragment: paths are appended to them")
		case u.Scheme != first.Scheme:
			src.wrong(at, "hold one that begins with %s://, and target.url begins with %s://; instances of one service are called alike", u.Scheme, first.Scheme)
		case !isLoopback(u.Hostname()) && !p.Target.Owned:
			src.wrong(at, "%s", p.reachText(at, u))
		case raw == p.Target.URL || slices.Contains(p.Target.Instances[:i], raw):
			src.wrong(at, "name an address twice, or that of target.url again: two requests to one address prove nothing about two instances; give each its own")
		}
	}
}

func (p *Profile) validatePrincipals(src *source) {
	validateRefused(src, "refused", p.Refusing)
	p.validateFields(src)
	if len(p.Principals) == 0 && !p.onlyClient() {
		src.wrong("principals", "needs at least one principal, for example alice: {tenant: t1, header: {Authorization: \"Bearer ${ALICE_TOKEN}\"}}")
	}
	names := slices.Sorted(maps.Keys(p.Principals))
	for i, name := range names {
		src.header("principals."+name, p.Principals[name].Header)
		src.header("principals."+name+".refreshed", p.Principals[name].Refreshed)
		if len(p.Principals[name].Refreshed) > 0 && sameCredentials(p.Principals[name].Header, p.Principals[name].Refreshed) {
			src.wrong("principals."+name+".refreshed", "is the same as its header; give other credentials of the same identity, as after a token refresh")
		}
		p.validateName(src, name)
		for _, other := range names[:i] {
			if sameCredentials(p.Principals[name].Header, p.Principals[other].Header) {
				src.wrong("principals."+name, "has the same header as principals.%s: they are one identity under two names, which proves nothing about scopes; give each credentials of its own, or leave one out", other)
				break
			}
		}
	}
}

// validateName looks at whom a principal shares its name with. In one tenant a
// name is one identity.
func (p *Profile) validateName(src *source, name string) {
	me, at := p.Principals[name], "principals."+name+".sameNameAs"
	if me.SameNameAs == "" {
		return
	}
	switch other, ok := p.Principals[me.SameNameAs]; {
	case !ok:
		src.wrong(at, "is %s, which is no principal of the profile; name one of another tenant, or leave it out", src.show(at, me.SameNameAs))
	case other.Tenant == me.Tenant:
		src.wrong(at, "is %s, of the same tenant %s: one name in one tenant is one identity; name one of another tenant, or leave it out", src.show(at, me.SameNameAs), src.show("principals."+name+".tenant", me.Tenant))
	}
}

// sameCredentials compares headers as a server does: names in any case.
func sameCredentials(a, b map[string]string) bool {
	canonical := func(header map[string]string) map[string]string {
		same := make(map[string]string, len(header))
		for name, value := range header {
			same[http.CanonicalHeaderKey(name)] = value
		}
		return same
	}
	return maps.Equal(canonical(a), canonical(b))
}

func (p *Profile) validateCheckout(src *source) {
	if p.Checkout == nil && (p.Gateway != nil || p.Client != nil) {
		p.validateWithout(src)
		return
	}
	if p.Checkout == nil {
		src.wrong("checkout", "is required: the request that has the effects, for example checkout: {path: /checkout, body: {cartId: \"{{cart}}\", amount: \"{{amount}}\"}}")
		return
	}
	p.operation(src, "checkout", *p.Checkout, fillable())
	used := p.Checkout.names()
	if p.Effects != nil && !slices.Contains(used, "cart") && !slices.Contains(used, "amount") {
		src.wrong("checkout.body", "uses neither {{cart}} nor {{amount}}, so no entry of the declared effects could be told to belong to a request; put one of them where the ledger shows it as reference or amount")
	}
}

// onlyClient reports whether nothing but a client behind a shim is to be tried.
func (p *Profile) onlyClient() bool { return p.Client != nil && p.Checkout == nil && p.Gateway == nil }

// validateWithout refuses, where no checkout is there, the keys that are about
// it, and where nothing of the target is, those that act on it.
func (p *Profile) validateWithout(src *source) {
	about := []string{"status", "operations", "effects", "dependencies", "webhooks", "sink", "consumer"}
	if p.onlyClient() {
		about = append(about, "control", "links", "limits")
	}
	for _, key := range about {
		if _, given := src.at[key]; !given {
			continue
		}
		if p.onlyClient() {
			src.wrong(key, "is about a target with a checkout or a gateway, and only a client is declared; leave it out, or declare checkout")
		} else {
			src.wrong(key, "is about checkouts, but checkout is not there; leave it out, or declare checkout")
		}
	}
}

func (p *Profile) validateOperations(src *source) {
	if p.Status != nil {
		p.operation(src, "status", *p.Status, fillable("requestId", "orderId"))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Operations)) {
		path := "operations." + name
		switch name {
		case harness.OpCheckout, harness.OpStatus, harness.OpGateway:
			src.wrong(path, "has its own key at the top of the profile")
		case harness.OpCall:
			src.wrong(path, "is the name of calls through a shim; choose another")
		case harness.OpWebhook:
			src.wrong(path, "is the name of the provider's webhook, whose key is webhooks.payment; choose another")
		}
		p.operation(src, path, p.Operations[name], fillable("requestId", "orderId"))
	}
	if p.Observe != nil && p.Observe.DeadLetters != nil {
		letters := p.Observe.DeadLetters
		for i, op := range []*Operation{letters.List, letters.Redrive, letters.Resolve} {
			if op != nil {
				p.operation(src, "observe.deadLetters."+[]string{"list", "redrive", "resolve"}[i], *op, fillable("eventId"))
			}
		}
	}
}

// names returns the open names of every part of the request.
func (op Operation) names() []string {
	texts := list{op.Path}
	for _, name := range slices.Sorted(maps.Keys(op.Header)) {
		texts = append(texts, op.Header[name])
	}
	if op.Body != nil {
		texts = append(texts, op.Body.root)
	}
	for _, name := range slices.Sorted(maps.Keys(op.Variants)) {
		texts = append(texts, op.Variants[name].root)
	}
	return Template{texts}.names()
}

func (p *Profile) operation(src *source, path string, op Operation, known []string) {
	if !strings.HasPrefix(op.Path, "/") {
		src.wrong(path+".path", "must begin with a slash; it is %s", src.show(path+".path", op.Path))
	}
	if strings.ContainsAny(op.Path, " \t\r\n#") {
		src.wrong(path+".path", "must hold no space, line break or fragment")
	}
	if !method.MatchString(op.Method) {
		src.wrong(path+".method", "must be an HTTP method in capitals, for example POST; it is %s", src.show(path+".method", op.Method))
	}
	src.header(path, op.Header)
	for _, name := range op.names() {
		switch {
		case name == "key":
			src.wrong(path, "uses {{key}}: the idempotency key travels in the header only, since in the body it would change the fingerprint")
		case !slices.Contains(known, name):
			src.wrong(path, "uses {{%s}}, which nothing fills%s", name, suggest(name, known))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(op.Variants)) {
		if _, ok := op.Variants[name].root.(object); !ok {
			src.wrong(path+".variants."+name, "must be a mapping of the body's members to replace")
		}
		if op.Body == nil {
			src.wrong(path+".variants."+name, "varies a body that is not there")
		} else if _, ok := op.Body.root.(object); !ok {
			src.wrong(path+".variants."+name, "varies a body that is no mapping")
		}
	}
	if op.Principal != "" {
		if _, ok := p.Principals[op.Principal]; !ok {
			src.wrong(path+".principal", "names %s, who is not among the principals%s",
				src.show(path+".principal", op.Principal), suggest(op.Principal, slices.Collect(maps.Keys(p.Principals))))
		}
	}
}
