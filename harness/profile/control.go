package profile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Control is how the target's processes can be acted on.
type Control struct {
	HTTP     string       `yaml:"http" jsonschema_description:"URL of a supervisor."`
	Commands *Commands    `yaml:"commands"`
	Clock    Settings     `yaml:"clock"`
	Crash    *CrashPoints `yaml:"crash"`
	Flag     Settings     `yaml:"flag"`
}

// Commands are argument lists, run without a shell.
type Commands struct {
	Kill    []string `yaml:"kill"`
	Pause   []string `yaml:"pause"`
	Resume  []string `yaml:"resume"`
	Restart []string `yaml:"restart"`
}

// CrashPoints are the named places at which the target can be made to die.
type CrashPoints struct {
	Points []string `yaml:"points" jsonschema:"required"`
}

// Link is a link inside the target: a proxy of a toxiproxy that carries it, or
// the word control for one that the supervisor drives.
type Link struct {
	ByControl bool   `yaml:"-"`
	Toxiproxy string `yaml:"toxiproxy" jsonschema:"required"`
	Proxy     string `yaml:"proxy" jsonschema:"required"`
}

// UnmarshalText reads the short form, control.
func (l *Link) UnmarshalText(text []byte) error {
	if string(text) != "control" {
		return fmt.Errorf("%q is neither the word control nor a mapping of toxiproxy and proxy", text)
	}
	*l = Link{ByControl: true}
	return nil
}

// Limits is the load that the target bears.
type Limits struct {
	Rate        Rate `yaml:"rate"`
	Concurrency int  `yaml:"concurrency"`
	Requests    int  `yaml:"requests"`
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
