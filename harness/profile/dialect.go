package profile

import (
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/oncecheck/oncecheck/harness"
)

// DialectSpec is the dialect of a profile: a preset, or a mapping that overrides
// single knobs of the preset named by base.
type DialectSpec struct {
	Base            string `yaml:"base"` // default srs
	harness.Dialect `yaml:",inline"`
}

// preset is a dialect with where its answers say what.
type preset struct {
	harness.Dialect
	response Response // members that are empty follow from the error format
}

func presets() []preset {
	return []preset{{Dialect: srs()}, {Dialect: srs422()}, ietf(), acp(), ucp(), stripe(), {Dialect: joining()}, observe()}
}

// Dialects returns the presets, the one of the requirements first.
func Dialects() []harness.Dialect {
	var dialects []harness.Dialect
	for _, p := range presets() {
		dialects = append(dialects, p.Dialect)
	}
	return dialects
}

// Dialect returns the preset of that name.
func Dialect(name string) (harness.Dialect, error) {
	p, err := presetNamed(name)
	return p.Dialect, err
}

// ResponseOf returns where answers say what in the preset of that name.
func ResponseOf(dialect string) Response {
	p := Profile{Dialect: DialectSpec{Base: dialect}}
	return p.ResponseOf(Operation{})
}

func presetNamed(name string) (preset, error) {
	var known []string
	for _, p := range presets() {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return preset{}, fmt.Errorf("there is no dialect %q%s", name, suggest(name, known))
}

// dialect reads either form.
func (d *decoder) dialect(n ast.Node, spec *DialectSpec, path string) {
	if name, ok := scalar(n); ok {
		d.preset(name, n.GetToken(), spec)
		return
	}
	members, ok := entries(n)
	if !ok {
		d.mismatch(n, path, "a preset's name or a mapping")
		return
	}
	// The base comes first wherever it is written: the knobs go on top of it.
	for _, m := range members {
		key, _ := scalar(m.Key)
		base, isText := "", m.Value != nil
		if isText {
			base, isText = scalar(m.Value)
		}
		if key == "base" && isText {
			d.preset(base, m.Value.GetToken(), spec)
		}
	}
	base := spec.Dialect
	d.structure(n, reflect.ValueOf(spec).Elem(), path)
	own := spec.Dialect
	own.SameCart = base.SameCart // no preset has it, so that saying it leaves none
	if spec.Name == base.Name && !reflect.DeepEqual(own, base) {
		spec.Name += "-custom" // evidence must not claim the preset
	}
}

func (d *decoder) preset(name string, tk *token.Token, spec *DialectSpec) {
	preset, err := Dialect(name)
	if err != nil {
		d.src.reject(tk, "dialect: %s", d.src.mask(err.Error()))
		return
	}
	*spec = DialectSpec{Base: name, Dialect: preset}
}

// shortKnob reads the one-word forms of knobs that are mappings otherwise:
// missing: execute, mismatch: replay, inProgress: wait. Whether the word is
// known is for validation to say.
func shortKnob(knob any, word string) (reflect.Value, bool) {
	switch knob.(type) {
	case *harness.MissingKey:
		if word == "execute" {
			return reflect.ValueOf(harness.MissingKey{Execute: true}), true
		}
	case *harness.Mismatch:
		return reflect.ValueOf(harness.Mismatch{Mode: word}), true
	case *harness.InProgress:
		return reflect.ValueOf(harness.InProgress{Mode: word}), true
	}
	return reflect.Value{}, false
}
