package rig

import (
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/control"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/toxiproxy"
)

// openControl returns what the profile lets us do to the target. A command goes
// before the supervisor: whoever writes one down means it.
func openControl(p *profile.Profile, o Options) harness.Controls {
	c := p.Control
	if c == nil {
		return harness.Controls{Store: openStoreLink(p)}
	}
	alive := func(instance string) string {
		return strings.TrimRight(instance, "/") + "/" + strings.TrimPrefix(c.Alive, "/")
	}
	watched := control.Target{
		URL:       alive(p.Target.URL),
		UserAgent: o.UserAgent, Limit: c.Limit.Std(), Rate: float64(p.Info().Limits.Rate),
	}
	for _, instance := range p.Target.Instances {
		watched.Further = append(watched.Further, alive(instance))
	}
	dir := p.File(".")
	var offered harness.Controls
	keys := map[harness.Capability]string{}
	if m := c.Commands; m != nil {
		offered = control.ByCommand(control.Commands(*m), dir, watched)
		if offered.Kill != nil {
			keys[harness.CapProcessKill], keys[harness.CapProcessControl] = "control.commands.kill", "control.commands.kill"
		}
		if len(m.Restart) > 0 {
			keys[harness.CapProcessControl] = "control.commands.restart"
		}
		if offered.Pause != nil {
			keys[harness.CapProcessPause] = "control.commands.pause"
		}
	}
	if c.HTTP != "" {
		remote := control.HTTP(c.HTTP, watched)
		if c.Crash != nil {
			offered.Crash = control.CrashBy(c.HTTP, c.Crash.Points, watched)
		}
		if offered.Restart == nil {
			offered.Restart, keys[harness.CapProcessControl] = remote, "control.http"
		}
		if offered.Kill == nil {
			offered.Kill, keys[harness.CapProcessKill] = remote, "control.http"
		}
		if offered.Pause == nil {
			offered.Pause, keys[harness.CapProcessPause] = remote, "control.http"
		}
	}
	offered.Store = openStoreLink(p)
	if c.Clock != nil {
		offered.Clock = control.NewClock(step(c.Clock.Set), step(c.Clock.Now), dir, c.Limit.Std())
	}
	offered.Keys = keys
	offered.Features = p.Features()
	offered.Flags = map[string]harness.Flag{}
	for name, flag := range c.Flag {
		offered.Flags[name] = control.NewFlag(step(flag.On), step(flag.Off), step(flag.State), dir, c.Limit.Std())
	}
	return offered
}

// openStoreLink returns what drives the link to the store, nil for nothing.
func openStoreLink(p *profile.Profile) harness.StoreLink {
	var limit time.Duration
	if p.Control != nil {
		limit = p.Control.Limit.Std()
	}
	switch link := p.Links["store"]; {
	case link.ByControl && p.Control != nil:
		return control.StoreBy(p.Control.HTTP, limit)
	case link.Lost != "" && p.Control != nil:
		return &sharedStoreLink{
			most: toxiproxy.NewStoreLink(link.Toxiproxy, link.Proxy, limit),
			loss: control.StoreBy(p.Control.HTTP, limit)}
	case link.Toxiproxy != "":
		return toxiproxy.NewStoreLink(link.Toxiproxy, link.Proxy, limit)
	}
	return nil
}

// step makes an adapter's step of a profile's, which was validated.
func step(s *profile.Step) control.Step {
	if s.HTTP == nil {
		return control.Step{Command: s.Command}
	}
	made := control.Step{Method: s.HTTP.Method, URL: s.HTTP.URL, Header: s.HTTP.Header, Member: s.HTTP.Member}
	if s.HTTP.Body != nil {
		made.Body = s.HTTP.RenderBody
	}
	return made
}
