package rig

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"syscall"
	"time"

	"github.com/oncecheck/oncecheck/fakes/stub"
	"github.com/oncecheck/oncecheck/harness/control"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/wire"
	"github.com/oncecheck/oncecheck/harness/wiremock"
)

// attachLease is how long a target keeps calling us after this process died.
const attachLease = 10 * time.Second

// dependencies are the links that the target's calls come through, by name.
type dependencies map[string]*wire.Link

func (d dependencies) all() []*wire.Link {
	var links []*wire.Link
	for _, name := range slices.Sorted(maps.Keys(d)) {
		links = append(links, d[name])
	}
	return links
}

// openDependencies opens a link for each declared dependency, and the one that
// the run plays itself, and attaches the target to those that a supervisor can
// point at us.
func (r *Rig) openDependencies(ctx context.Context, p *profile.Profile, o Options, journal *wire.Journal) (dependencies, error) {
	links := dependencies{}
	attach := map[string]map[string]string{} // attach URL -> dependency -> our URL
	for _, name := range slices.Sorted(maps.Keys(p.Dependencies)) {
		d := p.Dependencies[name]
		cfg := wire.Config{
			Name: name, Listen: d.Listen, Operations: dependencyRoutes(d),
			ReferenceOf:   func(h http.Header, body []byte) string { return attribute(d, h, body) },
			CorrelationOf: header(correlationHeader), Clock: r.Target.Clock,
		}
		if err := r.behind(ctx, &cfg, p, o, d); err != nil {
			return nil, fmt.Errorf("dependencies.%s: %w", name, err)
		}
		link, err := wire.Open(cfg, journal)
		if err != nil {
			return nil, fmt.Errorf("dependencies.%s: %w", name, listenHint(err, d.Listen))
		}
		r.closes(func(context.Context) error { return link.Close() })
		links[name] = link
		if d.Attach != "" {
			if attach[d.Attach] == nil {
				attach[d.Attach] = map[string]string{}
			}
			attach[d.Attach][name] = link.URL()
		}
	}
	gateway, err := r.openGateway(ctx, p)
	if err != nil {
		return nil, err
	}
	if gateway != nil && p.Gateway.Dependency.Attach != "" {
		at := p.Gateway.Dependency.Attach
		if attach[at] == nil { // a supervisor gives one lease at a time, so both go into one
			attach[at] = map[string]string{}
		}
		attach[at][p.Gateway.Dependency.Name] = gateway.URL()
	}
	for _, at := range slices.Sorted(maps.Keys(attach)) {
		if err := r.attach(ctx, at, attach[at], links); err != nil {
			return nil, err
		}
	}
	return links, nil
}

// behind decides what answers behind a dependency's link.
func (r *Rig) behind(ctx context.Context, cfg *wire.Config, p *profile.Profile, o Options, d profile.Dependency) (err error) {
	switch {
	case d.Attach != "":
		cfg.Handler = http.HandlerFunc(notAttached)
	case d.Fake != "":
		cfg.Handler, err = r.fakeOf(cfg.Name, o)
	case d.Stubs != "":
		cfg.Handler, err = stubsIn(p.File(d.Stubs))
	default:
		cfg.Upstream = d.Upstream
		err = reachUpstream(ctx, d.Upstream)
	}
	return err
}

// listenHint says whom to ask where an address is taken.
func listenHint(err error, address string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("listen on %s: %w; end what listens there (another run of this profile?), or declare another address and point the target at it", address, syscall.EADDRINUSE)
	}
	return err
}

// notAttached answers between listening and attaching, when nobody should call.
func notAttached(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the link has no upstream yet", http.StatusServiceUnavailable)
}

func (r *Rig) attach(ctx context.Context, at string, urls map[string]string, links dependencies) error {
	attachment, err := control.Attach(ctx, at, urls, attachLease)
	if err != nil {
		return fmt.Errorf("attach the dependencies: %w", err)
	}
	r.closes(attachment.Release)
	r.attached = append(r.attached, attachment)
	for name := range urls {
		if links[name] == nil {
			continue // played by the run: nothing is forwarded
		}
		upstream := attachment.Upstream[name]
		if upstream == "" {
			return fmt.Errorf("attach the dependencies: %s names no upstream for %s", at, name)
		}
		links[name].SetUpstream(upstream)
	}
	return nil
}

func dependencyRoutes(d profile.Dependency) []wire.Operation {
	var routes []wire.Operation
	for _, name := range slices.Sorted(maps.Keys(d.Operations)) {
		op := d.Operations[name]
		routes = append(routes, wire.Operation{
			Name: name, Method: op.Method, Path: op.Path, KeyHeader: d.KeyHeader,
			Attribute: func(h http.Header, body []byte) []string {
				values := []string{attribute(d, h, body)}
				if d.AttributeHeader != "" {
					values = append(values, h.Get(d.AttributeHeader))
				}
				return slices.DeleteFunc(values, func(v string) bool { return v == "" })
			},
		})
	}
	return routes
}

// attribute returns what the declared path finds in a body, which is JSON unless
// the call says that it is a form.
func attribute(d profile.Dependency, h http.Header, body []byte) string {
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind == "application/x-www-form-urlencoded" {
		return d.FormAttribute(body)
	}
	return d.Attribute(body)
}

// openStubs starts the stub server for the dependency links.
func (r *Rig) openStubs(ctx context.Context, p *profile.Profile, links dependencies) error {
	if len(links) == 0 {
		return nil
	}
	var stubbed []wiremock.Link
	for _, name := range slices.Sorted(maps.Keys(links)) {
		operations := map[string]wiremock.Op{}
		for op, o := range p.Dependencies[name].Operations {
			answers := map[string]wiremock.Answer{}
			for kind, a := range o.Answers {
				body, err := a.Text()
				if err != nil {
					return fmt.Errorf("dependencies.%s.operations.%s.answers.%s: %w", name, op, kind, err)
				}
				answers[kind] = wiremock.Answer{Status: a.Status, Body: body}
			}
			operations[op] = wiremock.Op{Method: o.Method, Path: o.Path, Answers: answers}
		}
		route := wiremock.RouterFunc(func(caseID, operation string, exchange int, upstream, fault string) wiremock.Routed {
			return links[name].Route(caseID, operation, exchange, upstream, fault)
		})
		stubbed = append(stubbed, wiremock.Link{Name: name, Operations: operations, Router: route})
	}
	injector, err := wiremock.New(ctx, wiremock.Config{Handler: stub.New().Handler(), Links: stubbed})
	if err != nil {
		return fmt.Errorf("start the stub server: %w", err)
	}
	r.closes(func(context.Context) error { return injector.Close() })
	r.Target.Injectors = append(r.Target.Injectors, injector)
	return nil
}
