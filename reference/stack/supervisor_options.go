package stack

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/reference/store"
)

// Options says what [Serve] runs. Only Command is required.
type Options struct {
	Addr         string  // host:port of the first instance on a loopback address; empty is 127.0.0.1:0
	Store        string  // sqlite:PATH or postgres:DSN; empty is a temporary one, removed at the end
	Instances    int     // processes that share the store, each with an address of its own; 0 is 1, at most 16
	Dialect      string  // srs or srs-422; empty is srs
	Mutant       string  // a broken variant instead of the correct service; empty is none
	Scale        float64 // all times are divided by it; 0 is 1, the specified times
	WriteProfile string  // file that gets the profile by rename, mode 0600; empty is none

	// ListenDependencies makes the instances call fixed addresses, at which
	// only a run of the profile listens, instead of letting runs attach.
	ListenDependencies bool

	Command []string // argv of a child, which calls [RunChild] on its standard input and output
	Log     io.Writer
}

const maxInstances = 16

// complete fills in the defaults and refuses what cannot work, before anything
// is started.
func (o Options) complete() (Options, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Instances == 0 {
		o.Instances = 1
	}
	if o.Dialect == "" {
		o.Dialect = "srs"
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if len(o.Command) == 0 {
		return o, errors.New("serve: no command that starts an instance")
	}
	if err := checkLoopback(o.Addr); err != nil {
		return o, err
	}
	if o.Store != "" {
		if _, err := store.Locate(o.Store); err != nil {
			return o, fmt.Errorf("serve: %w", err)
		}
	}
	if o.Instances < 1 || o.Instances > maxInstances {
		return o, fmt.Errorf("serve: %d instances asked for, 1 to %d are possible", o.Instances, maxInstances)
	}
	if dialects := []string{"srs", "srs-422"}; !slices.Contains(dialects, o.Dialect) {
		return o, fmt.Errorf("serve: the reference does not speak dialect %q; it speaks %s", o.Dialect, strings.Join(dialects, " and "))
	}
	if !(o.Scale > 0) || math.IsInf(o.Scale, 0) {
		return o, fmt.Errorf("serve: a scale of %v divides no time; use 1 for the specified times, more for shorter ones", o.Scale)
	}
	return o, nil
}

// checkLoopback refuses addresses that another machine could reach: the
// reference and its tokens are for this machine only.
func checkLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("serve: address %q is not of the form 127.0.0.1:PORT: %w", addr, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("serve: address %q is not on loopback; use 127.0.0.1:PORT", addr)
	}
	return nil
}
