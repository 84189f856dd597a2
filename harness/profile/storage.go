package profile

import (
	"path/filepath"
	"slices"
)

// storage returns how the store can be looked into, nil without a way.
func (p *Profile) storage() *Storage {
	if p.Observe == nil {
		return nil
	}
	return p.Observe.Storage
}

// storedRecord returns how one record of the store is read, nil without a way.
func (p *Profile) storedRecord() *Source {
	if p.storage() == nil {
		return nil
	}
	return p.storage().Record
}

// storage checks the keys that look into the target's store.
func (s *source) storage(o *Storage) {
	if o == nil {
		return
	}
	if len(o.Files) == 0 && o.Record == nil {
		s.wrong("observe.storage", "needs files, patterns of the files that make up the store, for example [data/shop.db*], or record, or both")
	}
	for _, pattern := range o.Files {
		if _, err := filepath.Match(pattern, ""); err != nil || pattern == "" {
			s.wrong("observe.storage.files", "holds %s, which is no pattern of file names", s.show("observe.storage.files", pattern))
		}
	}
	if o.Record == nil {
		return
	}
	const at = "observe.storage.record"
	s.sourceOf(at, *o.Record, recordName)
	var texts list
	switch {
	case o.Record.HTTP != nil:
		texts = append(texts, o.Record.HTTP.URL)
	case o.Record.SQL != nil:
		texts = append(texts, o.Record.SQL.Query)
	}
	for _, argument := range o.Record.Command {
		texts = append(texts, argument)
	}
	if !slices.Contains(Template{texts}.names(), recordName) {
		s.wrong(at, "does not use {{%s}}, so it would always read the same", recordName)
	}
}

// recordName is the name in a source that stands for the request whose record is
// read.
const recordName = "requestId"
