package profile

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Rendered is a request ready to be sent, without credentials and without an
// idempotency key.
type Rendered struct {
	Method string
	Path   string // escaped; begins with a slash, may hold a query
	Header map[string]string
	Body   []byte // JSON, nil for none
}

// Render fills the template of op. The variant names one of its variants, or is
// empty; vars holds the values of {{names}}; changes are made to the body after
// it was filled. A name without a value is an error.
func (p *Profile) Render(op Operation, variant string, vars map[string]any, changes Changes) (Rendered, error) {
	r := Rendered{Method: op.Method, Header: map[string]string{}}
	if r.Method == "" {
		r.Method = op.defaultMethod()
	}
	var err error
	if r.Path, err = renderPath(op.Path, vars); err != nil {
		return Rendered{}, fmt.Errorf("render the path %s: %w", op.Path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(op.Header)) {
		value, err := fillText(op.Header[name], vars, nil)
		if err != nil {
			return Rendered{}, fmt.Errorf("render the header %s of %s: %w", name, op.Path, err)
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return Rendered{}, fmt.Errorf("render the header %s of %s: a filled value breaks the line", name, op.Path)
		}
		r.Header[name] = value
	}
	if r.Body, err = op.renderBody(variant, vars, changes); err != nil {
		return Rendered{}, fmt.Errorf("render the body of %s: %w", op.Path, err)
	}
	if r.Body != nil && !hasHeader(op.Header, "Content-Type") {
		r.Header["Content-Type"] = "application/json"
	}
	return r, nil
}

func (op Operation) renderBody(variant string, vars map[string]any, changes Changes) ([]byte, error) {
	var replaced Template
	if variant != "" {
		var ok bool
		if replaced, ok = op.Variants[variant]; !ok {
			return nil, fmt.Errorf("there is no variant %q%s", variant, suggest(variant, slices.Collect(maps.Keys(op.Variants))))
		}
	}
	if op.Body == nil && variant == "" && !changes.any() {
		return nil, nil
	}
	var root any = object{}
	if op.Body != nil {
		root = op.Body.root
	}
	if variant != "" || changes.any() {
		members, ok := root.(object)
		if !ok {
			return nil, fmt.Errorf("it is no object, so no member of it can be replaced")
		}
		variant, _ := replaced.root.(object) // validated: a variant is a mapping
		root = members.with(variant)
	}
	filled, err := fill(root, vars)
	if err != nil {
		return nil, err
	}
	if changes.any() {
		return changes.write(filled.(object), vars["cart"]) // an object: checked above
	}
	var out bytes.Buffer
	if err := writeJSON(&out, filled); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// with returns a copy in which the changes replace members of the same name in
// place; new ones come last.
func (o object) with(changes object) object {
	o = slices.Clone(o)
	for _, change := range changes {
		if i := slices.IndexFunc(o, func(m member) bool { return m.name == change.name }); i >= 0 {
			o[i] = change
		} else {
			o = append(o, change)
		}
	}
	return o
}

func renderPath(path string, vars map[string]any) (string, error) {
	before, query, hasQuery := strings.Cut(path, "?")
	filled, err := fillText(before, vars, url.PathEscape)
	if err != nil || !hasQuery {
		return filled, err
	}
	filledQuery, err := fillText(query, vars, url.QueryEscape)
	return filled + "?" + filledQuery, err
}

func hasHeader(header map[string]string, name string) bool {
	for have := range header {
		if strings.EqualFold(have, name) {
			return true
		}
	}
	return false
}
