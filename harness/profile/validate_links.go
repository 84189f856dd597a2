package profile

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// attribution is a path of plain member names; anything richer belongs to jq,
// and a link must decide in microseconds.
var attribution = regexp.MustCompile(`^(\.[A-Za-z_][A-Za-z0-9_-]*)+$`)

func (p *Profile) validateDependencies(src *source) {
	names := slices.Sorted(maps.Keys(p.Dependencies))
	for _, name := range names {
		path, d := "dependencies."+name, p.Dependencies[name]
		switch name {
		case "client":
			src.wrong(path, "is the name of the link between the caller and the target; choose another")
		case "delivery":
			src.wrong(path, "is the name of the link between the target and the sink; choose another")
		}
		src.dependency(path, d)
		if u, err := url.Parse(d.Upstream); err == nil && meet(addressOf(u), d.Listen) {
			src.wrong(path+".upstream", "is the dependency's own listen address; name the system behind it")
		}
	}
	p.validateListeners(src, names)
	p.validateCounted(src)
}

// dependency checks how the calls come to us and where they go on to.
func (s *source) dependency(path string, d Dependency) {
	var given []string
	for i, value := range []string{d.Upstream, d.Fake, d.Stubs} {
		if value != "" {
			given = append(given, []string{"upstream", "fake", "stubs"}[i])
		}
	}
	switch {
	case d.Attach != "" && (d.Listen != "" || len(given) > 0):
		s.wrong(path, "has attach beside listen, upstream, fake or stubs; with attach the supervisor knows the rest")
	case d.Attach != "":
		s.url(path+".attach", d.Attach)
	case d.Listen == "":
		s.wrong(path, "needs listen with one of upstream, fake and stubs, or attach")
	case len(given) != 1:
		s.wrong(path, "needs exactly one of upstream, fake and stubs beside listen; it has %s", enumerate(given))
	}
	if d.Listen != "" {
		s.listen(path+".listen", d.Listen)
	}
	if d.Upstream != "" {
		s.url(path+".upstream", d.Upstream)
	}
	if d.Fake != "" {
		s.oneOf(path+".fake", d.Fake, []string{"provider"})
	}
	if d.AttributePath != "" && !attribution.MatchString(d.AttributePath) {
		s.wrong(path+".attribute", "must be a path of member names such as .reference or .order.id; it is %s", s.show(path+".attribute", d.AttributePath))
	}
	if d.AttributeHeader != "" && !isToken(d.AttributeHeader) {
		s.wrong(path+".attributeHeader", "is no header name")
	}
	if !isToken(d.KeyHeader) {
		s.wrong(path+".keyHeader", "is no header name")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Operations)) {
		at, op := path+".operations."+name, d.Operations[name]
		if !strings.HasPrefix(op.Path, "/") || strings.ContainsAny(op.Path, "?# \t\r\n") {
			s.wrong(at+".path", "must begin with a slash and hold no query; it is %s", s.show(at+".path", op.Path))
		}
		if !method.MatchString(op.Method) {
			s.wrong(at+".method", "must be an HTTP method in capitals, for example POST")
		}
		if op.Query && op.Effect != "" {
			s.wrong(at, "has an effect and is a query; it can only be one of them")
		}
		s.refusals(at, op)
	}
}

const uncontrolled = "is driven by control, but control.http is not there"

// validateInside checks the keys that look into the target.
func (p *Profile) validateInside(src *source) {
	if p.Sink != nil {
		src.listen("sink.listen", p.Sink.Listen)
	}
	if p.Consumer != nil && !strings.HasPrefix(p.Consumer.Path, "/") {
		src.wrong("consumer.path", "must begin with a slash")
	}
	p.validateControl(src)
	for _, name := range slices.Sorted(maps.Keys(p.Links)) {
		path, link := "links."+name, p.Links[name]
		controlled := p.Control != nil && p.Control.HTTP != ""
		if link.ByControl {
			if !controlled {
				src.wrong(path, uncontrolled)
			}
			continue
		}
		if link.Lost != "" {
			if !controlled {
				src.wrong(path+".lost", uncontrolled)
			}
			src.oneOf(path+".lost", link.Lost, []string{byControl})
		}
		src.url(path+".toxiproxy", link.Toxiproxy)
		if link.Proxy == "" {
			src.wrong(path+".proxy", "is required: the proxy's name in toxiproxy")
		}
	}
	if o := p.Observe; o != nil {
		if o.Metrics != "" {
			src.url("observe.metrics", o.Metrics)
		}
		for _, name := range slices.Sorted(maps.Keys(o.Names)) {
			src.oneOf("observe.names."+name, name, []string{harness.MetricServed, harness.MetricEligible, harness.MetricKeyed, harness.MetricKeyless, harness.MetricFeature})
		}
		if o.Outbox != nil {
			src.sourceOf("observe.outbox", *o.Outbox, "since")
		}
		src.storage(o.Storage)
	}
}

func (p *Profile) validateNumbers(src *source) {
	c, l, e := p.Policy.Checkout, p.Policy.Client, p.Policy.Events
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"checkout.deadline", int64(c.Deadline)}, {"checkout.attempts", int64(c.Attempts)}, {"checkout.retention", int64(c.Retention)},
		{"client.connect", int64(l.Connect)}, {"client.read", int64(l.Read)}, {"client.total", int64(l.Total)},
		{"client.retries", int64(l.Retries) + 1}, // none is a policy, too
		{"events.attempts", int64(e.Attempts)}, {"events.window", int64(e.Window)},
	} {
		if n.value <= 0 {
			src.wrong("policy."+n.key, "is out of range: durations and attempts are above zero, retries at least zero")
		}
	}
	if p.Limits == nil {
		return
	}
	for _, n := range []struct {
		key   string
		value int
	}{{"limits.concurrency", p.Limits.Concurrency}, {"limits.requests", p.Limits.Requests}} {
		if _, given := src.at[n.key]; given && n.value <= 0 {
			src.wrong(n.key, "must be above zero; leave it out for the default")
		}
	}
}

func enumerate(given []string) string {
	if len(given) == 0 {
		return "none"
	}
	return strings.Join(given, " and ")
}
