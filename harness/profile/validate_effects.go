package profile

import (
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

func (p *Profile) validateEffects(src *source) {
	p.validateOperationEffects(src)
	if p.Effects == nil {
		return
	}
	if !p.FakeLedger() {
		src.sourceOf("effects", p.Effects.Source, "since")
	}
	if len(p.Effects.PerSuccess) == 0 {
		src.wrong("effects.perSuccess", "is required: how many entries of each kind one plain success leaves, for example {charge: 1}")
	}
	for _, kind := range slices.Sorted(maps.Keys(p.Effects.PerSuccess)) {
		src.positive("effects.perSuccess."+kind, int64(p.Effects.PerSuccess[kind]))
	}
}

// validateOperationEffects looks at what further operations leave in the ledger.
func (p *Profile) validateOperationEffects(src *source) {
	for _, name := range slices.Sorted(maps.Keys(p.Operations)) {
		op, at := p.Operations[name], "operations."+name+".effects"
		switch {
		case op.Effects == nil:
		case !op.Keyed:
			src.wrong(at, "is for operations that take a key (keyed: true): of others nothing is counted")
		case p.Effects == nil:
			src.wrong(at, "counts entries of a ledger, and none is declared; add effects, or leave it out")
		}
		for _, kind := range slices.Sorted(maps.Keys(op.Effects)) {
			src.positive(at+"."+kind, int64(op.Effects[kind]))
		}
	}
	others := map[string]*Operation{"checkout": p.Checkout, "status": p.Status}
	if p.Gateway != nil {
		others["gateway"], others["gateway.write"] = &p.Gateway.Operation, p.Gateway.Write
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		if op := others[key]; op != nil && op.Effects != nil {
			src.wrong(key+".effects", "is for operations only: what a checkout leaves is effects.perSuccess")
		}
	}
}

// validateCounted holds each effect of a dependency to be one that the ledger
// counts: of the others a second one would pass unseen. What undoes an effect is
// counted with it, and what no plain checkout calls need not leave anything.
func (p *Profile) validateCounted(src *source) {
	if p.Effects == nil || len(p.Effects.PerSuccess) == 0 {
		return
	}
	counted := maps.Clone(p.Effects.PerSuccess)
	for _, op := range p.Operations {
		maps.Copy(counted, op.Effects)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Dependencies)) {
		d := p.Dependencies[name]
		for _, operation := range slices.Sorted(maps.Keys(d.Operations)) {
			effect := d.Operations[operation].Effect
			if effect == "" || counted[effect] > 0 || d.Optional || harness.Reversed(effect) != "" {
				continue
			}
			at := "dependencies." + name + ".operations." + operation + ".effect"
			src.wrong(at, "is %s, and nothing counts entries of that kind, so a second one would pass unseen; let effects read them, from the dependency itself where your own tables do not show them, and say in effects.perSuccess how many one plain success leaves, or in operations.NAME.effects if only another operation leaves them. What undoes a charge is a refund or a void, what undoes a reservation a release", src.show(at, effect))
		}
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

// sourceOf checks that there is one way to read, and only one. In it one name is
// filled.
func (s *source) sourceOf(path string, from Source, name string) {
	var given []string
	if from.HTTP != nil {
		given = append(given, "http")
		s.url(path+".http.url", from.HTTP.URL)
		s.header(path+".http", from.HTTP.Header)
		for _, m := range placeholder.FindAllStringSubmatch(from.HTTP.URL, -1) {
			if m[1] != name {
				s.wrong(path+".http.url", "uses {{%s}}; only {{%s}} is filled there", m[1], name)
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
