package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/doctor"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
)

var (
	errNoProfile  = errors.New("doctor needs --profile FILE")
	errNoCheckout = errors.New("doctor examines a target that takes checkouts, and the profile declares only a client or a gateway")
)

// subject is the profile as the doctor sees it.
func subject(p *profile.Profile, allow []string) doctor.Subject {
	s := doctor.Subject{
		Info: p.Info(), URL: p.Target.URL, CheckoutPath: p.Checkout.Path, FakeLedger: p.FakeLedger(),
		Headers: map[string]map[string]string{},
		Open: func(ctx context.Context, part doctor.Part) (*harness.Target, func(context.Context) error, error) {
			opened, err := rig.Open(ctx, only(p, part), rig.Options{UserAgent: "oncecheck/" + thisBuild().suite().Version, AllowHosts: allow, Fakes: fakes.New})
			if err != nil {
				return nil, nil, err
			}
			return opened.Target, opened.Close, nil
		},
	}
	for name, principal := range p.Principals {
		s.Headers[name] = principal.Header
	}
	for _, name := range slices.Sorted(maps.Keys(p.Dependencies)) {
		s.Dependencies = append(s.Dependencies, doctor.Dependency{Name: name, Way: way(p.Dependencies[name])})
	}
	if p.Client != nil {
		s.Shim = p.Client.Shim
	}
	if p.Gateway != nil {
		s.GatewayWay = gatewayWay(*p.Gateway.Dependency)
	}
	if p.Control != nil {
		s.ControlURL = p.Control.HTTP
		s.ControlWays = controlWays(p.Control)
		s.Unguarded, s.ToldTime = p.Control.Unguarded(), p.Control.ToldTime()
	}
	for _, c := range profile.Capabilities() {
		s.Known = append(s.Known, doctor.Capability{Name: c.Name, Key: c.Key, Meaning: c.Meaning, Offered: c.Offered})
	}
	return s
}

// only returns a profile that declares one part, with the doctor's own
// operations beside its own.
func only(p *profile.Profile, part doctor.Part) *profile.Profile {
	one := *p
	one.Operations = maps.Clone(p.Operations)
	if one.Operations == nil {
		one.Operations = map[string]profile.Operation{}
	}
	one.Operations[doctor.OpBare] = profile.Operation{Method: p.Checkout.Method, Path: p.Checkout.Path, Header: p.Checkout.Header}
	one.Operations[doctor.OpGuess] = profile.Operation{Method: http.MethodGet, Path: p.Checkout.Path + "/{{requestId}}"}
	one.Operations[doctor.OpNowhere] = profile.Operation{Method: http.MethodGet, Path: "/oncecheck-no-such-route/{{requestId}}"}
	if part.Kind == doctor.PartWhole {
		return &one
	}
	one.Effects, one.Dependencies, one.Control, one.Sink, one.Gateway, one.Client = nil, nil, nil, nil, nil, nil
	switch part.Kind {
	case doctor.PartEffects:
		one.Effects = p.Effects
	case doctor.PartDependency:
		one.Dependencies = map[string]profile.Dependency{part.Name: p.Dependencies[part.Name]}
	case doctor.PartClient:
		one.Client = p.Client
	case doctor.PartGateway:
		one.Gateway = p.Gateway
	}
	return &one
}

// way tells how a dependency's calls come to us and where they go on to.
func way(d profile.Dependency) string {
	switch {
	case d.Attach != "":
		return "the supervisor at " + d.Attach + " points the target at us, and away again"
	case d.Fake != "":
		return d.Listen + " is free; our own fake answers there"
	case d.Stubs != "":
		return d.Listen + " is free; the stubs in " + d.Stubs + " answer there"
	}
	return d.Listen + " is free, and " + d.Upstream + " behind it can be reached"
}

// gatewayWay tells how the gateway's calls come to us, who answer them.
func gatewayWay(d profile.GatewayDependency) string {
	if d.Attach != "" {
		return "the supervisor at " + d.Attach + " points it at us, and away again"
	}
	return d.Listen + " is free; a run answers there"
}

func controlWays(c *profile.Control) []string {
	var ways []string
	if c.HTTP != "" {
		ways = append(ways, "control.http")
	}
	if c.Commands != nil {
		for _, command := range [][]string{c.Commands.Kill, c.Commands.Pause, c.Commands.Resume, c.Commands.Restart} {
			if len(command) > 0 {
				ways = append(ways, command[0])
			}
		}
	}
	slices.Sort(ways)
	return slices.Compact(ways)
}
