package rig

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/harness/probe"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// openOutbox opens the way into the target's outbox that the profile declares.
func (r *Rig) openOutbox(p *profile.Profile, trust *tls.Config) error {
	if p.Observe == nil || p.Observe.Outbox == nil {
		return nil
	}
	reader, err := outboxReader(p, *p.Observe.Outbox, trust)
	if err != nil {
		return err
	}
	r.closes(func(context.Context) error { return reader.Close() })
	r.Target.Observe.Outbox = reader
	return nil
}

func outboxReader(p *profile.Profile, from profile.Source, trust *tls.Config) (*probe.Outbox, error) {
	switch {
	case from.SQL != nil:
		return probe.SQLOutbox(databaseOf(p, from.SQL.DSN), from.SQL.Query)
	case from.Command != nil:
		return probe.CommandOutbox(from.Command, p.File("."))
	case from.HTTP != nil:
		return probe.HTTPOutbox(oneShot(trust), from.HTTP.URL, from.HTTP.Header, from.HTTP.JQ)
	}
	return nil, errors.New("observe.outbox declares no way to read") // the profile was checked before
}

// databaseOf returns a dsn in which the path of a file, which begins at the
// profile, is one that can be opened.
func databaseOf(p *profile.Profile, dsn string) string {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && path != "" {
		return "sqlite:" + p.File(path)
	}
	return dsn
}

// oneShot returns a client with a connection for each read: a kept one could be
// dead by the next, and would be taken for a source that cannot be reached.
func oneShot(trust *tls.Config) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: trust.Clone()}}
}
