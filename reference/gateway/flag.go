package gateway

import "sync/atomic"

// Flag is a feature that can be switched while requests are under way.
type Flag struct{ on atomic.Bool }

// NewFlag returns a flag in that state.
func NewFlag(on bool) *Flag {
	f := &Flag{}
	f.Set(on)
	return f
}

// On reports whether it is switched on.
func (f *Flag) On() bool { return f.on.Load() }

// Set switches it.
func (f *Flag) Set(on bool) { f.on.Store(on) }
