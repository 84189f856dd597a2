package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/peer"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/shim"
	"github.com/oncecheck/oncecheck/harness/telemetry"
)

// shimLimit bounds how long a shim may take to say who it is: it is on this
// machine and has nothing to do for it.
const shimLimit = 5 * time.Second

var errShimLimit = errors.New("no answer within " + shimLimit.String())

// OfShim asks a shim who it is and returns the profile of the client behind it,
// of which nothing else is declared.
func OfShim(ctx context.Context, at string) (*profile.Profile, error) {
	if _, err := profile.OfShim("client", "", at); err != nil { // before anything is sent there
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, shimLimit, errShimLimit)
	defer cancel()
	client, err := shim.Open(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("ask the client's shim who it is: %w", err)
	}
	return profile.OfShim(client.Info().Name, client.Info().Version, at)
}

// openShim asks the client's shim who it is and opens the dependencies that the
// client is made to call. What only the client can know of itself comes from
// there: its capabilities, its limits, its waits.
func (r *Rig) openShim(ctx context.Context, p *profile.Profile) error {
	if p.Client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, shimLimit, errShimLimit)
	defer cancel()
	client, err := shim.Open(ctx, p.Client.Shim)
	if err != nil {
		return fmt.Errorf("ask the client's shim who it is: %w; start it, or correct client.shim", err)
	}
	principals := map[string]shim.Principal{}
	for name, principal := range p.Principals {
		principals[name] = shim.Principal{Name: name, Tenant: principal.Tenant, Header: principal.Header}
	}
	client.As(principals)
	if argv := p.Client.Command; len(argv) > 0 {
		r.Target.Again = func(ctx context.Context) (harness.Client, func(), error) { return openAgain(ctx, principals, argv) }
	}
	info := client.Info()
	info.Apart = p.Client.Apart
	r.Target.Client, r.Target.Info.Client = client, &info
	r.Target.Info.Policy.Client = p.ClientPolicy(client.Policy())
	for _, c := range info.Capabilities {
		if p.Gateway != nil && ofGateway(c) {
			continue
		}
		if !slices.Contains(r.Target.Info.Capabilities, c) {
			r.Target.Info.Capabilities = append(r.Target.Info.Capabilities, c)
		}
	}
	if p.Gateway == nil {
		r.observes(telemetryOf(client, p.Client.Shim))
	}
	return r.openPeers(ctx, client)
}

// openAgain starts the command of a shim once more. What it prints besides its URL
// the first one has printed, too.
func openAgain(ctx context.Context, principals map[string]shim.Principal, argv []string) (harness.Client, func(), error) {
	launched, err := LaunchShim(ctx, io.Discard, argv...)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, shimLimit, errShimLimit)
	defer cancel()
	client, err := shim.Open(ctx, launched.URL)
	if err != nil {
		launched.Stop()
		return nil, nil, fmt.Errorf("ask the second shim who it is: %w", err)
	}
	client.As(principals)
	return client, launched.Stop, nil
}

// ofGateway reports whether a capability is asked of the gateway where there is
// one: what the shim's process logs and stores says nothing of what the gateway's
// does.
func ofGateway(c harness.Capability) bool {
	return c == harness.CapLogs || c == harness.CapMetrics || c == harness.CapFallbackSeed
}

// telemetryOf returns what the client tells of its inside through its shim.
func telemetryOf(client *shim.Client, at string) harness.Observer {
	var o harness.Observer
	offered := client.Info().Capabilities
	if slices.Contains(offered, harness.CapMetrics) {
		alone := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		o.Metrics = telemetry.NewMetrics(alone, strings.TrimSuffix(at, "/")+"/v1/metrics", nil)
	}
	if slices.Contains(offered, harness.CapLogs) {
		o.Logs = telemetry.NewLogText(client.Logs)
	}
	return o
}

// observes adds what the target tells of its inside. What the profile declares
// comes last and takes the place of what the client's shim tells.
func (r *Rig) observes(o harness.Observer) {
	if o.Metrics != nil {
		r.Target.Observe.Metrics = o.Metrics
	}
	if o.Logs != nil {
		r.Target.Observe.Logs = o.Logs
	}
}

// openPeers makes the dependencies that have an address each. A client that can
// be told to trusts their authority.
func (r *Rig) openPeers(ctx context.Context, client *shim.Client) error {
	peers, err := peer.New(peer.Config{Clock: r.Target.Clock})
	if err != nil {
		return fmt.Errorf("make the dependencies that the client is to call: %w", err)
	}
	r.plays(harness.RouteShim, peers)
	if slices.Contains(client.Info().Capabilities, harness.CapTLSTrust) {
		if err := client.Trust(ctx, peers.CA()); err != nil {
			return fmt.Errorf("have the client trust the authority of this run: %w; mend the shim, or take %s from its capabilities", err, harness.CapTLSTrust)
		}
	}
	if slices.Contains(client.Info().Capabilities, harness.CapResolver) {
		return r.resolves(ctx, client, peers)
	}
	return nil
}

// resolves has the client ask the resolver of this run for names.
func (r *Rig) resolves(ctx context.Context, client *shim.Client, peers *peer.Own) error {
	address, err := peers.Resolver()
	if err != nil {
		return fmt.Errorf("make the resolver that the client is to ask: %w", err)
	}
	r.closes(peers.Close)
	if err := client.Resolve(ctx, address); err != nil {
		return fmt.Errorf("have the client ask the resolver of this run: %w; mend the shim, or take %s from its capabilities", err, harness.CapResolver)
	}
	return nil
}

// openGateway listens where the gateway calls its dependency.
func (r *Rig) openGateway(ctx context.Context, p *profile.Profile) (*peer.Shared, error) {
	if p.Gateway == nil || p.Gateway.Dependency == nil {
		return nil, nil
	}
	d := p.Gateway.Dependency
	shared, err := peer.Listen(ctx, peer.Config{Clock: r.Target.Clock}, d.Listen)
	if err != nil {
		return nil, fmt.Errorf("gateway.dependency: %w", listenHint(err, d.Listen))
	}
	r.closes(shared.Close)
	r.plays(harness.RouteGateway, shared)
	return shared, nil
}

func (r *Rig) plays(route harness.Route, peers harness.Peers) {
	if r.Target.Peers == nil {
		r.Target.Peers = map[harness.Route]harness.Peers{}
	}
	r.Target.Peers[route] = peers
}

// nobody is the sender of a profile that declares no URL: nothing of it may be
// sent anywhere.
type nobody struct{}

// Send implements [harness.Sender].
func (nobody) Send(context.Context, harness.Attempt) (harness.Request, harness.Answer, error) {
	return harness.Request{}, harness.Answer{}, fmt.Errorf("%w: %w", harness.ErrNotSent, errors.New("the profile declares no target.url, only a client"))
}
