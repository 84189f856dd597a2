package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/oncecheck/oncecheck/harness"
)

// Changes are what a request does to the body of a template once that is filled.
// They apply to the members of its top level.
type Changes struct {
	Set      map[string]any   // members to replace or to add
	Unset    []string         // members to leave out; each has to be there
	Spelling harness.Spelling // how to write the result; empty: as ever
}

func (c Changes) any() bool { return len(c.Set) > 0 || len(c.Unset) > 0 || c.Spelling != "" }

// write returns the changed body; cart is the one that it was filled with.
func (c Changes) write(body object, cart any) ([]byte, error) {
	var set object
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		set = append(set, member{name, c.Set[name]})
	}
	body = body.with(set)
	for _, name := range c.Unset {
		i := slices.IndexFunc(body, func(m member) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("it has no member %q that could be left out", name)
		}
		body = slices.Delete(body, i, i+1)
	}
	if c.Spelling == harness.SpeltReversed {
		slices.Reverse(body)
	}
	var out bytes.Buffer
	if err := writeJSON(&out, body); err != nil {
		return nil, err
	}
	switch c.Spelling {
	case "", harness.SpeltReversed:
		return out.Bytes(), nil
	case harness.SpeltSpaced:
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, out.Bytes(), "", "  "); err != nil {
			return nil, fmt.Errorf("write it with white space: %w", err)
		}
		return spaced.Bytes(), nil
	case harness.SpeltDecimal:
		return decimal(body)
	case harness.SpeltTruncated:
		return out.Bytes()[:out.Len()-1], nil
	case harness.SpeltEmpty:
		return []byte{}, nil // of a content type all the same
	case harness.SpeltListed:
		return slices.Concat([]byte("["), out.Bytes(), []byte("]")), nil
	case harness.SpeltEscaped:
		return escaped(body, cart)
	}
	return nil, fmt.Errorf("there is no spelling %q", c.Spelling)
}

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// decimal writes the whole numbers of the top level as 1.0.
func decimal(body object) ([]byte, error) {
	body = slices.Clone(body)
	for i, m := range body {
		text, err := json.Marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", m.name, err)
		}
		if wholeNumber.Match(text) {
			body[i].value = json.Number(string(text) + ".0")
		}
	}
	var out bytes.Buffer
	if err := writeJSON(&out, body); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// escaped writes every character of the cart as an escape. Other texts stay as they
// are: one that is a secret would no longer be known for it in what is recorded.
func escaped(body object, cart any) ([]byte, error) {
	body = slices.Clone(body)
	for i, m := range body {
		if text, ok := m.value.(string); ok && text != "" && m.value == cart {
			var escapes strings.Builder
			for _, unit := range utf16.Encode([]rune(text)) {
				fmt.Fprintf(&escapes, `\u%04x`, unit)
			}
			body[i].value = json.RawMessage(`"` + escapes.String() + `"`)
		}
	}
	var out bytes.Buffer
	if err := writeJSON(&out, body); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
