package rig

import (
	"context"
	"crypto/tls"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/probe"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// openObservers opens what looks at the target and acts on it from outside.
func (r *Rig) openObservers(p *profile.Profile, o Options, trust *tls.Config) error {
	if p.Effects != nil {
		reader, err := r.openProbe(p, o, trust)
		if err != nil {
			return fmt.Errorf("effects: %w", err)
		}
		r.Target.Probe = reader
	}
	r.Target.Control = openControl(p, o)
	r.observes(openTelemetry(p, trust))
	if err := r.openOutbox(p, trust); err != nil {
		return err
	}
	return r.openStorage(p, trust)
}

// openProbe opens the one way to read effects that the profile declares.
func (r *Rig) openProbe(p *profile.Profile, o Options, trust *tls.Config) (harness.Probe, error) {
	switch e := p.Effects; {
	case e.SQL != nil:
		reader, err := probe.SQL(databaseOf(p, e.SQL.DSN), e.SQL.Query)
		if err != nil {
			return nil, err
		}
		r.closes(func(context.Context) error { return reader.Close() })
		return reader, nil
	case e.Command != nil:
		return probe.Command(e.Command, p.File("."))
	case e.HTTP != nil:
		return probe.HTTP(oneShot(trust), e.HTTP.URL, e.HTTP.Header, e.HTTP.JQ)
	}
	return r.fakesOf(o) // the profile declares no other way
}
