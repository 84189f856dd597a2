package rig

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/caller"
	"github.com/oncecheck/oncecheck/harness/control"
	"github.com/oncecheck/oncecheck/harness/limits"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/toxiproxy"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// Options are what a rig takes besides the profile.
type Options struct {
	UserAgent  string
	AllowHosts []string // hosts off this machine that may be driven
	// Fakes makes the outside world that answers for dependencies with
	// fake: provider. Without it such a profile cannot be opened.
	Fakes func() harness.Fakes
}

// Rig is an opened target with all that has to be closed again.
type Rig struct {
	Target   *harness.Target
	attached []*control.Attachment
	fakes    harness.Fakes                 // nil unless a dependency asks for it
	sink     *sink                         // nil unless the profile declares one
	closers  []func(context.Context) error // closed in reverse
}

// Open reaches the target and opens everything the profile declares. Each error
// says what was attempted and what to do; nothing stays open after one.
func Open(ctx context.Context, p *profile.Profile, o Options) (*Rig, error) {
	if err := p.CheckReach(o.AllowHosts); err != nil {
		return nil, err
	}
	r := &Rig{Target: &harness.Target{Info: p.Info(), Clock: harness.NewClock(), Secrets: p.Secrets()}}
	if err := r.open(ctx, p, o); err != nil {
		return nil, errors.Join(err, r.Close(context.WithoutCancel(ctx)))
	}
	return r, nil
}

func (r *Rig) open(ctx context.Context, p *profile.Profile, o Options) error {
	if err := r.openShim(ctx, p); err != nil {
		return err
	}
	if p.Target.URL == "" { // only a client
		r.Target.Sender = nobody{}
		return nil
	}
	trust, err := trusted(p)
	if err != nil {
		return err
	}
	for _, instance := range append([]string{p.Target.URL}, p.Target.Instances...) {
		if err := reach(ctx, instance, trust, o.UserAgent); err != nil {
			return err
		}
	}
	journal := wire.NewJournal()
	r.Target.Journal = journal
	client, err := r.openClient(p, o, trust, journal)
	if err != nil {
		return err
	}
	links, err := r.openDependencies(ctx, p, o, journal)
	if err != nil {
		return err
	}
	if err := r.openSink(p); err != nil {
		return err
	}
	r.Target.Injectors = append(r.Target.Injectors, wire.NewInjector(append(links.all(), client)...))
	toxics, err := openToxics(ctx, p, map[string]string{harness.LinkClient: client.Addr()})
	if err != nil {
		return fmt.Errorf("start toxiproxy for the client link: %w", err)
	}
	r.closes(func(context.Context) error { return toxics.Close() })
	r.Target.Injectors = append(r.Target.Injectors, toxics)
	if err := r.openStubs(ctx, p, links); err != nil {
		return err
	}
	return r.openObservers(p, o, trust)
}

// Watch returns a context that ends when the target was taken from us: its
// dependencies no longer call our links. What is driven after that proves
// nothing, so the run has to end as interrupted.
func (r *Rig) Watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	for _, attachment := range r.attached {
		go func() {
			select {
			case <-attachment.Lost():
				cancel(fmt.Errorf("the attached dependencies were lost: %w", attachment.Err()))
			case <-ctx.Done():
			}
		}()
	}
	return ctx, func() { cancel(context.Canceled) }
}

// closes registers what Close has to undo.
func (r *Rig) closes(f func(context.Context) error) { r.closers = append(r.closers, f) }

// Close reverts and closes everything, last opened first, within 10 s.
func (r *Rig) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var errs []error
	for i := len(r.closers) - 1; i >= 0; i-- {
		errs = append(errs, r.closers[i](ctx))
	}
	r.closers = nil
	return errors.Join(errs...)
}

// openToxics starts toxiproxy in this process, or uses one that runs already.
func openToxics(ctx context.Context, p *profile.Profile, links map[string]string) (*toxiproxy.Injector, error) {
	if p.Injectors != nil && p.Injectors.Toxiproxy != "" {
		return toxiproxy.External(ctx, p.Injectors.Toxiproxy, links)
	}
	return toxiproxy.Embedded(links)
}

func (r *Rig) openClient(p *profile.Profile, o Options, trust *tls.Config, journal *wire.Journal) (*wire.Link, error) {
	fields, err := responses(p)
	if err != nil {
		return nil, err
	}
	link, err := wire.Open(wire.Config{
		Name: harness.LinkClient, Upstream: p.Target.URL, TLS: trust, CaseHeader: caller.CaseHeader,
		Operations: routes(p), CorrelationOf: header(correlationHeader), Clock: r.Target.Clock, PassHangUp: true,
	}, journal)
	if err != nil {
		return nil, fmt.Errorf("open the client link: %w", err)
	}
	r.closes(func(context.Context) error { return link.Close() })
	r.Target.Meet = link.Meet
	doors, err := r.openDoors(p, link)
	if err != nil {
		return nil, err
	}
	render, err := signing(p, renderer(p))
	if err != nil {
		return nil, err
	}
	credentials := map[string]map[string]string{}
	for name, principal := range p.Principals {
		credentials[name] = principal.Header
		if principal.Refreshed != nil {
			credentials[harness.RefreshedPrincipal(name)] = principal.Refreshed
		}
	}
	for kind, header := range p.Refused() {
		credentials[harness.RefusedPrincipal(kind)] = header
	}
	r.Target.Sender = limits.New(caller.New(caller.Config{
		Doors: doors, UserAgent: o.UserAgent, KeyHeader: p.Dialect.Header,
		Correlation: correlationHeader, Principals: credentials, Render: render, Fields: fields,
	}), r.Target.Info.Limits)
	return link, nil
}
