package rig

import (
	"context"
	"crypto/tls"
	"errors"

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
		return storage.SQL(databaseOf(p, from.SQL.DSN), from.SQL.Query)
	case from.Command != nil:
		return storage.Command(from.Command, p.File("."))
	case from.HTTP != nil:
		return storage.HTTP(oneShot(trust), from.HTTP.URL, from.HTTP.Header, from.HTTP.JQ)
	}
	return nil, errors.New("observe.storage.record declares no way to read") // the profile was checked before
}
