package rig

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/storage"
)

// openStorage opens the ways into the target's store that the profile declares.
func (r *Rig) openStorage(p *profile.Profile, trust *tls.Config) error {
	if p.Observe == nil || p.Observe.Storage == nil {
		return nil
	}
	var patterns []string
	for _, pattern := range p.Observe.Storage.Files {
		patterns = append(patterns, p.File(pattern))
	}
	if len(patterns) > 0 {
		r.Target.Observe.Storage = storage.NewFiles(patterns)
	}
	if p.Observe.Storage.Record == nil {
		return nil
	}
	reader, err := recordReader(p, *p.Observe.Storage.Record, trust)
	if err != nil {
		return err
	}
	r.closes(func(context.Context) error { return reader.Close() })
	r.Target.Observe.Records = reader
	return nil
}

func recordReader(p *profile.Profile, from profile.Source, trust *tls.Config) (*storage.Record, error) {
	switch {
	case from.SQL != nil:
		dsn := from.SQL.DSN
		if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && path != "" {
			dsn = "sqlite:" + p.File(path)
		}
		return storage.SQL(dsn, from.SQL.Query)
	case from.Command != nil:
		return storage.Command(from.Command, p.File("."))
	case from.HTTP != nil:
		transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: trust.Clone()}
		return storage.HTTP(&http.Client{Transport: transport}, from.HTTP.URL, from.HTTP.Header, from.HTTP.JQ)
	}
	return nil, errors.New("observe.storage.record declares no way to read") // the profile was checked before
}
