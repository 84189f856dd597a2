package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// maxControlLimit keeps one control shorter than the experiment that uses it.
const maxControlLimit = time.Minute

func (p *Profile) validateControl(src *source) {
	c := p.Control
	if c == nil {
		return
	}
	if c.HTTP != "" {
		src.url("control.http", c.HTTP)
	}
	if c.Alive != "" && (!strings.HasPrefix(c.Alive, "/") || strings.ContainsAny(c.Alive, " \t\r\n#")) {
		src.wrong("control.alive", "must begin with a slash and hold no space, line break or fragment")
	}
	if _, given := src.at["control.limit"]; given && (c.Limit.Std() <= 0 || c.Limit.Std() > maxControlLimit) {
		src.wrong("control.limit", "must be above zero and at most %v", maxControlLimit)
	}
	c.validateCommands(src)
	if c.Crash != nil && c.HTTP == "" {
		src.wrong("control.crash", "needs control.http beside it: the supervisor there arms a crash")
	}
	if c.Crash != nil && (len(c.Crash.Points) == 0 || slices.Contains(c.Crash.Points, "")) {
		src.wrong("control.crash.points", "must name at least one point, and each of them")
	}
	if c.Clock != nil {
		src.step("control.clock.set", c.Clock.Set, append(times(), leaseName)...)
		src.step("control.clock.now", c.Clock.Now)
		if set := c.Clock.Set; set != nil && !slices.ContainsFunc(set.names(), func(name string) bool { return slices.Contains(times(), name) }) {
			src.wrong("control.clock.set", "uses none of {{offset}}, {{time}} and {{unix}}, so it would always set the same")
		}
	}
	meant := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Flag)) {
		switch what := cmp.Or(c.Flag[name].For, name); {
		case c.Flag[name].For != "" && !slices.Contains(harness.Features(), what):
			src.wrong("control.flag."+name+".for", "is none of %s", strings.Join(harness.Features(), ", "))
		case meant[what] != "":
			src.wrong("control.flag."+name+".for", "is %s, as control.flag.%s is: one flag switches one feature", what, meant[what])
		default:
			meant[what] = name
		}
		at, flag := "control.flag."+name, c.Flag[name]
		src.step(at+".on", flag.On, leaseName)
		src.step(at+".off", flag.Off, leaseName)
		src.step(at+".state", flag.State)
		if flag.On != nil && flag.Off != nil && (flag.On.HTTP == nil) != (flag.Off.HTTP == nil) {
			src.wrong(at, "is switched by a command one way and by a request the other: use two commands, which a guard undoes if a run is killed, or two requests with {{leaseMs}}")
		}
	}
}

// times are the names that say which time a clock is to show.
func times() []string { return []string{"offset", "time", "unix"} }

// validateCommands asks for each command that undoes another: what cannot be put
// back is not done.
func (c *Control) validateCommands(src *source) {
	if c.Commands == nil {
		return
	}
	m := c.Commands
	for _, given := range []struct {
		name string
		argv []string
	}{{"kill", m.Kill}, {"start", m.Start}, {"pause", m.Pause}, {"resume", m.Resume}, {"restart", m.Restart}, {"instance", m.Instance}} {
		at := "control.commands." + given.name
		if _, there := src.at[at]; there && (len(given.argv) == 0 || given.argv[0] == "") {
			src.wrong(at, "names no program")
		}
	}
	if len(m.Kill) > 0 && len(m.Start)+len(m.Restart) == 0 {
		src.wrong("control.commands.kill", "needs start or restart beside it, so that the target can come back")
	}
	if len(m.Start) > 0 && len(m.Kill) == 0 {
		src.wrong("control.commands.start", "has no kill beside it")
	}
	if len(m.Pause) > 0 && len(m.Resume) == 0 {
		src.wrong("control.commands.pause", "needs resume beside it, so that the target can go on")
	}
	if len(m.Resume) > 0 && len(m.Pause) == 0 {
		src.wrong("control.commands.resume", "has no pause beside it")
	}
}

// step checks a step, which is required: without a reading nothing shows that
// what was set is so, and without the way back nothing is set.
func (s *source) step(path string, step *Step, names ...string) {
	if step == nil {
		s.wrong(path, "is required: a control that cannot be verified and put back is not used")
		return
	}
	if (len(step.Command) > 0) == (step.HTTP != nil) {
		s.wrong(path, "needs exactly one of a command, written as a list, and http")
		return
	}
	if step.HTTP == nil {
		if step.Command[0] == "" {
			s.wrong(path, "names no program")
		}
		return
	}
	s.url(path+".http.url", step.HTTP.URL)
	s.header(path+".http", step.HTTP.Header)
	if m := step.HTTP.Method; m != "" && !method.MatchString(m) {
		s.wrong(path+".http.method", "must be an HTTP method in capitals, for example PUT")
	}
	if m := step.HTTP.Member; m != "" && !attribution.MatchString(m) {
		s.wrong(path+".http.member", "must be a path of member names such as .now or .clock.now")
	}
	for _, name := range step.names() {
		if !slices.Contains(names, name) {
			s.wrong(path, "uses {{%s}}, which nothing fills here%s", name, suggest(name, names))
		}
	}
}

// names returns the open names of a step. In the arguments of a command others
// may be templates of its own, so only ours are told.
func (step Step) names() []string {
	if step.HTTP == nil {
		var found []string
		for _, argument := range step.Command {
			for _, name := range openNames(nil, argument) {
				if slices.Contains(append(times(), leaseName), name) {
					found = append(found, name)
				}
			}
		}
		return found
	}
	found := openNames(nil, step.HTTP.URL)
	if step.HTTP.Body != nil {
		found = append(found, step.HTTP.Body.names()...)
	}
	return found
}
