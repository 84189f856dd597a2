package profile

import (
	"maps"
	"slices"
)

func (p *Profile) validateEffects(src *source) {
	if p.Effects == nil {
		return
	}
	if !p.FakeLedger() {
		src.sourceOf("effects", p.Effects.Source)
	}
	if len(p.Effects.PerSuccess) == 0 {
		src.wrong("effects.perSuccess", "is required: how many entries of each kind one plain success leaves, for example {charge: 1}")
	}
	for _, kind := range slices.Sorted(maps.Keys(p.Effects.PerSuccess)) {
		src.positive("effects.perSuccess."+kind, int64(p.Effects.PerSuccess[kind]))
	}
}

// FakeLedger reports whether the effects are read from the ledger of our own
// provider fake: it answers for a dependency, and no other way to read is given.
func (p *Profile) FakeLedger() bool {
	e := p.Effects
	if e == nil || e.HTTP != nil || e.SQL != nil || e.Command != nil {
		return false
	}
	for _, d := range p.Dependencies {
		if d.Fake != "" {
			return true
		}
	}
	return false
}

// sourceOf checks that there is one way to read, and only one.
func (s *source) sourceOf(path string, from Source) {
	var given []string
	if from.HTTP != nil {
		given = append(given, "http")
		s.url(path+".http.url", from.HTTP.URL)
		s.header(path+".http", from.HTTP.Header)
		for _, m := range placeholder.FindAllStringSubmatch(from.HTTP.URL, -1) {
			if m[1] != "since" {
				s.wrong(path+".http.url", "uses {{%s}}; only {{since}} is filled there", m[1])
			}
		}
	}
	if from.SQL != nil {
		given = append(given, "sql")
		if from.SQL.DSN == "" || from.SQL.Query == "" {
			s.wrong(path+".sql", "needs both dsn and query")
		}
	}
	if from.Command != nil {
		given = append(given, "command")
		if len(from.Command) == 0 || from.Command[0] == "" {
			s.wrong(path+".command", "names no program")
		}
	}
	if len(given) != 1 {
		s.wrong(path, "needs exactly one of http, sql and command; it has %s", enumerate(given))
	}
}
