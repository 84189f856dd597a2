package profile

import (
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// fieldKinds are what a member of a checkout's body may mean.
func fieldKinds() []string {
	return []string{string(harness.FieldCart), string(harness.FieldVersion), string(harness.FieldCurrency), string(harness.FieldAmount), string(harness.FieldPayment), string(harness.FieldOptional)}
}

// fields returns the members of the checkout's body by what they mean: those
// that are declared, and the ones that the template shows.
func (p *Profile) fields() map[harness.Field]string {
	if p.Checkout == nil {
		return nil
	}
	found := map[harness.Field]string{}
	for _, m := range p.Checkout.members() {
		text, _ := m.value.(string)
		open := placeholder.FindStringSubmatch(text)
		switch {
		case open == nil || open[0] != text:
		case open[1] == "cart":
			found[harness.FieldCart] = m.name
		case open[1] == "amount":
			found[harness.FieldAmount] = m.name
		}
	}
	if _, query, has := strings.Cut(p.Checkout.Path, "?"); has {
		found[harness.FieldQuery] = query
	}
	for kind, name := range p.Checkout.Fields {
		found[harness.Field(kind)] = name
	}
	return found
}

// knowsFields reports whether all are known that every checkout must have.
func (p *Profile) knowsFields() bool {
	known := p.fields()
	for _, f := range []harness.Field{harness.FieldCart, harness.FieldVersion, harness.FieldCurrency, harness.FieldPayment} {
		if known[f] == "" {
			return false
		}
	}
	return true
}

func (p *Profile) knowsOptional() bool { return p.fields()[harness.FieldOptional] != "" }

func (p *Profile) refreshes() bool {
	for _, principal := range p.Principals {
		if len(principal.Refreshed) > 0 && len(principal.Roles) == 0 {
			return true
		}
	}
	return false
}

// members returns the top level of the body, or nil if that is no object.
func (op Operation) members() object {
	if op.Body == nil {
		return nil
	}
	members, _ := op.Body.root.(object)
	return members
}

func (p *Profile) validateFields(src *source) {
	if p.Checkout == nil {
		return
	}
	var names []string
	for _, m := range p.Checkout.members() {
		names = append(names, m.name)
	}
	for _, kind := range slices.Sorted(maps.Keys(p.Checkout.Fields)) {
		at, name := "checkout.fields."+kind, p.Checkout.Fields[kind]
		switch {
		case !slices.Contains(fieldKinds(), kind):
			src.wrong(at, "is none of %s", strings.Join(fieldKinds(), ", "))
		case kind == string(harness.FieldOptional): // the body may well do without it
		case !slices.Contains(names, name):
			src.wrong(at, "is %s, and checkout.body has no member of that name%s", src.show(at, name), suggest(name, names))
		}
	}
	for name, op := range p.Operations {
		if len(op.Fields) > 0 {
			src.wrong("operations."+name+".fields", "is for checkout only")
		}
	}
}
