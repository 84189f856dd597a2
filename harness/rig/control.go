package rig

import (
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/control"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// openControl returns what the profile lets us do to the target. A command goes
// before the supervisor: whoever writes one down means it.
func openControl(p *profile.Profile, o Options) harness.Controls {
	c := p.Control
	if c == nil {
		return harness.Controls{}
	}
	watched := control.Target{
		URL:       strings.TrimRight(p.Target.URL, "/") + "/" + strings.TrimPrefix(c.Alive, "/"),
		UserAgent: o.UserAgent, Limit: c.Limit.Std(), Rate: float64(p.Info().Limits.Rate),
	}
	dir := p.File(".")
	var offered harness.Controls
	if m := c.Commands; m != nil {
		offered = control.ByCommand(control.Commands(*m), dir, watched)
	}
	if c.HTTP != "" {
		remote := control.HTTP(c.HTTP, watched)
		if offered.Restart == nil {
			offered.Restart = remote
		}
		if offered.Kill == nil {
			offered.Kill = remote
		}
		if offered.Pause == nil {
			offered.Pause = remote
		}
	}
	if c.Clock != nil {
		offered.Clock = control.NewClock(step(c.Clock.Set), step(c.Clock.Now), dir, c.Limit.Std())
	}
	offered.Flags = map[string]harness.Flag{}
	for name, flag := range c.Flag {
		offered.Flags[name] = control.NewFlag(step(flag.On), step(flag.Off), step(flag.State), dir, c.Limit.Std())
	}
	return offered
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
