package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

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

// Dialects returns the presets, the one of the requirements first.
func Dialects() []harness.Dialect {
	return []harness.Dialect{srs(), srs422()}
}

// Dialect returns the preset of that name.
func Dialect(name string) (harness.Dialect, error) {
	var known []string
	for _, d := range Dialects() {
		if d.Name == name {
			return d, nil
		}
		known = append(known, d.Name)
	}
	return harness.Dialect{}, fmt.Errorf("there is no dialect %q%s", name, suggest(name, known))
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
	if spec.Name == base.Name && !reflect.DeepEqual(spec.Dialect, base) {
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

// knob is a dialect knob with a closed set of words.
type knob struct {
	key, value string
	words      string
}

func (p *Profile) validateDialect(src *source) {
	d := p.Dialect.Dialect
	for _, k := range []knob{
		{"keySyntax", d.KeySyntax, "raw structured either"},
		{"duplicateHeader", d.DuplicateHeader, "reject first"},
		{"mismatch", d.Mismatch.Mode, "refuse replay execute"},
		{"inProgress", d.InProgress.Mode, "refuse wait"},
		{"precedence", d.Precedence, "mismatch in-progress"},
		{"store", d.Store, "all terminal non5xx 2xx"},
		{"replayBody", d.ReplayBody, "original current"},
		{"expired", d.Expired, "reject new either"},
		{"fingerprint", d.Fingerprint, "bytes semantic fields none"},
		{"errorFormat", d.ErrorFormat, "srs problem any"},
		{"retryableFailure", d.RetryableFailure, "resume replay"},
	} {
		src.oneOf("dialect."+k.key, k.value, strings.Fields(k.words))
	}
	for _, s := range d.Scope {
		src.oneOf("dialect.scope", s, []string{"tenant", "principal", "operation", "version"})
	}
	if !isToken(d.Header) {
		src.wrong("dialect.header", "is no header name: %s", src.show("dialect.header", d.Header))
	}
	if d.KeyMin < 1 || d.KeyMax < d.KeyMin {
		src.wrong("dialect.keyMax", "must be at least keyMin, and keyMin at least 1; they are %d and %d", d.KeyMax, d.KeyMin)
	}
	if d.StatusNonOwner != 403 && d.StatusNonOwner != 404 {
		src.wrong("dialect.statusNonOwner", "must be 403 or 404, not %d", d.StatusNonOwner)
	}
	p.validateRefusals(src)
}

func (p *Profile) validateRefusals(src *source) {
	d := p.Dialect
	refusals := []struct {
		key    string
		answer harness.Refusal
		needed bool // whether a dialect without it would recognise nothing
	}{
		{"missing", d.Missing.Refusal, !d.Missing.Execute},
		{"malformed", d.Malformed, true},
		{"mismatch", d.Mismatch.Refusal, d.Mismatch.Mode == "refuse"},
		{"inProgress", d.InProgress.Refusal, d.InProgress.Mode == "refuse"},
		{"storeDown", d.StoreDown, true},
		{"pending", d.Pending, false},
		{"declined", d.Declined, false},
	}
	for _, r := range refusals {
		path := "dialect." + r.key
		if r.needed && len(r.answer.Statuses) == 0 {
			src.wrong(path, "needs statuses: without one no answer would be recognised")
		}
		if i := slices.IndexFunc(r.answer.Statuses, func(s int) bool { return s < 200 || s > 599 }); i >= 0 {
			src.wrong(path, "holds %d, which is no final HTTP status", r.answer.Statuses[i])
		}
	}
}
