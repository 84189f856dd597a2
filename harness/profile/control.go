package profile

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Control is how the target itself can be acted on. Whatever is done is believed
// only if it was seen to happen.
type Control struct {
	HTTP     string           `yaml:"http" jsonschema_description:"URL of a supervisor that can kill, start, pause, resume and restart."`
	Alive    string           `yaml:"alive" jsonschema_description:"Path that the target answers without credentials while it lives, with any status but 502, 503 and 504. Default: /."`
	Limit    harness.Duration `yaml:"limit" jsonschema_description:"How long one control may take, its proof included; at most 60s. Default: 30s."`
	Commands *Commands        `yaml:"commands" jsonschema_description:"Instead of the supervisor, or of what it cannot do."`
	Clock    *Clock           `yaml:"clock"`
	Crash    *CrashPoints     `yaml:"crash"`
	Flag     map[string]Flag  `yaml:"flag" jsonschema_description:"Features that can be switched, by name."`
}

// Commands are argument lists, run without a shell in the folder of the profile.
type Commands struct {
	Kill     []string `yaml:"kill" jsonschema_description:"Ends every process without warning; they stay down until start."`
	Start    []string `yaml:"start" jsonschema_description:"Starts what was killed. Default: restart."`
	Pause    []string `yaml:"pause" jsonschema_description:"Stops every process without ending it, for example by SIGSTOP."`
	Resume   []string `yaml:"resume" jsonschema_description:"Lets the paused processes go on."`
	Restart  []string `yaml:"restart" jsonschema_description:"Kills every process without warning and starts others. Default: kill, then start."`
	Instance []string `yaml:"instance" jsonschema_description:"Prints one word for each running process, such as its process id: proves that a restart left none of the old ones."`
}

// Clock is how the target's clock is moved and read.
type Clock struct {
	Set *Step `yaml:"set" jsonschema:"required" jsonschema_description:"Sets it; {{offset}} is the distance from the true time in whole seconds, {{time}} the time to show in RFC 3339, {{unix}} in seconds. A request that holds {{leaseMs}} asks the target to put it back by itself after that many milliseconds (0: it stays): without it nothing does if the run is killed."`
	Now *Step `yaml:"now" jsonschema:"required" jsonschema_description:"Says the time that it shows, in RFC 3339, or in seconds or milliseconds since 1970."`
}

// Flag is how a feature is switched and read.
type Flag struct {
	For   string `yaml:"for" jsonschema:"enum=resilience,enum=require-key" jsonschema_description:"What it switches, if its name does not say so: resilience (retries and fallback) or require-key (requests without an idempotency key are refused). Default: the name; a single flag of another name is for resilience."`
	On    *Step  `yaml:"on" jsonschema:"required" jsonschema_description:"Switches it on. A request that holds {{leaseMs}} asks the target to switch it back by itself after that many milliseconds (0: it stays): without it nothing does if the run is killed."`
	Off   *Step  `yaml:"off" jsonschema:"required" jsonschema_description:"Switches it off, in the same way."`
	State *Step  `yaml:"state" jsonschema:"required" jsonschema_description:"Says on or off."`
}

// Step is one thing to do or to ask: a command, which may be written as a list
// alone, or a request. Exactly one of its members is set.
type Step struct {
	Command []string `yaml:"command"`
	HTTP    *Request `yaml:"http"`
}

// Request is one HTTP request of a step.
type Request struct {
	Method string            `yaml:"method"` // default: GET without a body, else POST
	URL    string            `yaml:"url" jsonschema:"required"`
	Header map[string]string `yaml:"header"`
	Body   *Template         `yaml:"body"`
	Member string            `yaml:"member" jsonschema_description:"Member of the JSON answer that says it, for example .clock.now. Default: the whole body."`
}

// RenderBody fills the body and returns it as JSON, or nil if there is none.
func (r Request) RenderBody(vars map[string]any) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	filled, err := fill(r.Body.root, vars)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = writeJSON(&out, filled)
	return out.Bytes(), err
}

// Unguarded returns the keys of the steps that change something and of which
// nothing puts it back if we die: requests without a lease.
func (c *Control) Unguarded() []string {
	if c == nil {
		return nil
	}
	var keys []string
	add := func(key string, step *Step) {
		if step != nil && step.HTTP != nil && !slices.Contains(step.names(), leaseName) {
			keys = append(keys, key)
		}
	}
	if c.Clock != nil {
		add("control.clock.set", c.Clock.Set)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Flag)) {
		add("control.flag."+name+".on", c.Flag[name].On)
		add("control.flag."+name+".off", c.Flag[name].Off)
	}
	return keys
}

// ToldTime returns the keys of the commands that are told the time to show.
// Nothing puts back what they set if we die: only we could tell them the time
// that it is then.
func (c *Control) ToldTime() []string {
	if c == nil || c.Clock == nil || c.Clock.Set == nil || c.Clock.Set.HTTP != nil {
		return nil
	}
	if names := c.Clock.Set.names(); slices.Contains(names, "time") || slices.Contains(names, "unix") {
		return []string{"control.clock.set"}
	}
	return nil
}

// leaseName is what a step calls the lease under which it sets something.
const leaseName = "leaseMs"

// credentials adds those of the requests that set and read.
func (c *Control) credentials(secrets map[string]string) {
	if c == nil {
		return
	}
	steps := map[string]*Step{}
	if c.Clock != nil {
		steps["control.clock.set"], steps["control.clock.now"] = c.Clock.Set, c.Clock.Now
	}
	for name, flag := range c.Flag {
		at := "control.flag." + name
		steps[at+".on"], steps[at+".off"], steps[at+".state"] = flag.On, flag.Off, flag.State
	}
	for at, step := range steps {
		if step != nil && step.HTTP != nil {
			credentials(secrets, at, step.HTTP.Header)
		}
	}
}

// features returns the names of the flags that switch what the suite knows, by
// its names for them.
func (c *Control) features() map[string]string {
	found := map[string]string{}
	if c == nil {
		return found
	}
	for name, flag := range c.Flag {
		if what := cmp.Or(flag.For, name); slices.Contains(harness.Features(), what) {
			found[what] = name
		} else if len(c.Flag) == 1 {
			found[harness.FlagResilience] = name
		}
	}
	return found
}

// Features returns the names of the flags that switch what the suite knows, by
// its names for them.
func (p *Profile) Features() map[string]string { return p.Control.features() }

// switches reports whether a flag is for the feature.
func switches(feature string) func(*Profile) bool {
	return func(p *Profile) bool { return p.Control.features()[feature] != "" }
}

// kills reports whether the target can be killed and started again.
func (c *Control) kills() bool {
	return c.HTTP != "" || c.Commands != nil && len(c.Commands.Kill) > 0 && len(c.Commands.Start)+len(c.Commands.Restart) > 0
}

// restarts reports whether the target can be killed and started in one.
func (c *Control) restarts() bool {
	return c.kills() || c.Commands != nil && len(c.Commands.Restart) > 0
}

// pauses reports whether the target can be paused and resumed.
func (c *Control) pauses() bool {
	return c.HTTP != "" || c.Commands != nil && len(c.Commands.Pause) > 0 && len(c.Commands.Resume) > 0
}

// CrashPoints are the named places at which the target can be made to die.
type CrashPoints struct {
	Points []string `yaml:"points" jsonschema:"required"`
}

// Link is a link inside the target: a proxy of a toxiproxy that carries it, or
// the word control for one that the supervisor drives.
type Link struct {
	ByControl bool   `yaml:"-"`
	Toxiproxy string `yaml:"toxiproxy" jsonschema:"required" jsonschema_description:"URL of its API, for example http://127.0.0.1:8474. It knows no lease: if a run is killed, the link stays as it is until somebody removes the toxics or enables the proxy."`
	Proxy     string `yaml:"proxy" jsonschema:"required" jsonschema_description:"Name of the proxy in it through which the target reaches its store."`
	Lost      string `yaml:"lost" jsonschema:"enum=control" jsonschema_description:"What loses the answer of a single reservation, which no toxic can tell from others: the word control, if the supervisor of control.http can."`
}

// byControl says that the supervisor of control.http sees to something.
const byControl = "control"

// UnmarshalText reads the short form, control.
func (l *Link) UnmarshalText(text []byte) error {
	if string(text) != byControl {
		return fmt.Errorf("%q is neither the word control nor a mapping of toxiproxy and proxy", text)
	}
	*l = Link{ByControl: true}
	return nil
}

// disturbsStore reports whether the supervisor, or a toxiproxy, drives the link to
// the store.
func (p *Profile) disturbsStore() bool {
	return p.Links["store"].Toxiproxy != "" || p.losesReservations()
}

// losesReservations reports whether the supervisor drives the link to the store, or
// this part of it: what one answer means is known to nobody else.
func (p *Profile) losesReservations() bool {
	link := p.Links["store"]
	return (link.ByControl || link.Lost == byControl) && p.Control != nil && p.Control.HTTP != ""
}

// Limits is the load that the target bears.
type Limits struct {
	Rate        Rate `yaml:"rate" jsonschema_description:"Requests per second, such as 50/s or 600/m. Default for a target on another machine: 20/s."`
	Concurrency int  `yaml:"concurrency" jsonschema_description:"Requests in flight at once. Default for a target on another machine: 20."`
	Requests    int  `yaml:"requests" jsonschema_description:"Requests of a run in all, repetitions among them. Default for a target on another machine: 5000."`
}

// Rate is a number of requests per second. Its text form is 50/s or 600/m.
type Rate float64

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Rate) UnmarshalText(text []byte) error {
	number, unit, _ := strings.Cut(string(text), "/")
	n, err := strconv.ParseFloat(number, 64)
	perSecond, known := map[string]float64{"s": 1, "m": 60}[unit]
	if err != nil || !known || n <= 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		return fmt.Errorf("rate %q is not of the form 50/s or 600/m", text)
	}
	*r = Rate(n / perSecond)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (r Rate) MarshalText() ([]byte, error) {
	return []byte(strconv.FormatFloat(float64(r), 'g', -1, 64) + "/s"), nil
}
