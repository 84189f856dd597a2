package rig

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/oncecheck/oncecheck/harness"
)

// errNoFakes says what to write in the test: a profile that works for the
// command works there too, but there nobody brings the fakes unasked.
var errNoFakes = errors.New("fake: provider has nobody to answer: this test brings no fakes; " +
	`import "github.com/oncecheck/oncecheck/fakes" and add "Fakes: fakes.New" to its conform.Target or suite.Options, ` +
	"use oncecheck run --profile FILE, or declare an upstream")

// fakesOf returns the fakes of this run, one world for all its dependencies.
func (r *Rig) fakesOf(o Options) (harness.Fakes, error) {
	switch {
	case r.fakes != nil:
	case o.Fakes == nil:
		return nil, errNoFakes
	default:
		r.fakes = o.Fakes()
	}
	return r.fakes, nil
}

func (r *Rig) fakeOf(link string, o Options) (http.Handler, error) {
	fakes, err := r.fakesOf(o)
	if err != nil {
		return nil, err
	}
	handler := fakes.Handler(link)
	if handler == nil {
		return nil, fmt.Errorf("our provider fake plays no %q; name the dependency payment, bank, inventory or orders, or declare an upstream", link)
	}
	return handler, nil
}
