package stack

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/reference/gateway"
)

// flagNames returns the features that can be switched.
func flagNames() []string { return []string{gateway.FlagResilience, flagRequireKey} }

// flagRequireKey is whether the checkout refuses requests without a key.
const flagRequireKey = "require-key"

// clock is the time of an instance: ages, retention and the expiry of tokens go
// by it. Timers do not, for a pause takes as long as it takes.
type clock struct{ offset atomic.Int64 } // in seconds

// Now returns the time that it shows.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load()) * time.Second) }

// adjustable is what the supervisor may change in a running instance.
type adjustable struct {
	clock *clock
	flags map[string]*gateway.Flag
	link  *storeLink
}

func newAdjustable() adjustable {
	a := adjustable{clock: &clock{}, flags: map[string]*gateway.Flag{}, link: newStoreLink()}
	for _, name := range flagNames() {
		a.flags[name] = gateway.NewFlag(true)
	}
	return a
}

// apply changes everything that s names, or nothing.
func (a adjustable) apply(s Settings) error {
	if s.Store == (StoreLink{}) {
		s.Store.Mode = linkOpen
	}
	if err := s.Store.check(); err != nil {
		return err
	}
	for name := range s.Flags {
		if !slices.Contains(flagNames(), name) {
			return fmt.Errorf("there is no flag %q", name)
		}
	}
	a.clock.offset.Store(s.ClockOffset)
	for name, on := range s.Flags {
		a.flags[name].Set(on)
	}
	a.link.set(s.Store)
	return nil
}

// state says what holds.
func (a adjustable) state() settingsState {
	flags := map[string]bool{}
	for name, flag := range a.flags {
		flags[name] = flag.On()
	}
	return settingsState{Now: a.clock.Now().UTC().Format(time.RFC3339Nano), Settings: Settings{
		ClockOffset: a.clock.offset.Load(), Flags: flags, Store: a.link.state.Load().StoreLink}}
}
