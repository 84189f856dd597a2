package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Body is the template of a checkout's body: a JSON object, in the order in
// which it was written.
type Body struct {
	text    string
	guessed []string // what was put in place of an example's values
}

// DefaultBody is the body that the requirements describe.
func DefaultBody() Body {
	return Body{text: `{"cartId": "{{cart}}", "cartVersion": 1, "currency": "EUR", "amount": "{{amount}}", "paymentToken": "tok_ok"}`}
}

var (
	cartName   = regexp.MustCompile(`(?i)cart|basket|reference|order_?(id|no|number)|external_?id`)
	amountName = regexp.MustCompile(`(?i)amount|total|price`)
)

// ParseBody reads a JSON object. Where it leaves nothing open by {{names}}, it
// is an example: the values that look like cart and amount are opened.
func ParseBody(text []byte) (Body, error) {
	members, err := ordered(text)
	if err != nil {
		return Body{}, fmt.Errorf("read the body: %w", err)
	}
	if bytes.Contains(text, []byte("{{")) {
		return Body{text: join(members)}, nil
	}
	var b Body
	open := func(pattern *regexp.Regexp, name string, fits func(json.RawMessage) bool) {
		for i, m := range members {
			if pattern.MatchString(m.name) && fits(m.value) {
				members[i].value = json.RawMessage(`"{{` + name + `}}"`)
				b.guessed = append(b.guessed, m.name+" is taken for the "+name)
				return
			}
		}
	}
	open(cartName, "cart", func(v json.RawMessage) bool { return v[0] == '"' })
	open(amountName, "amount", func(v json.RawMessage) bool { return v[0] >= '0' && v[0] <= '9' && !bytes.ContainsAny(v, ".eE") })
	b.text = join(members)
	return b, nil
}

// leaves reports whether the body leaves the name open.
func (b Body) leaves(name string) bool { return strings.Contains(b.text, "{{"+name+"}}") }

type member struct {
	name  string
	value json.RawMessage
}

// ordered reads an object's members in order.
func ordered(text []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is no JSON object")
	}
	var members []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // a member begins with its name
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil || d.More() {
		return nil, errors.New("it is not one whole JSON object")
	}
	return members, nil
}

// join writes an object that is JSON and, on one line, YAML as well.
func join(members []member) string {
	var parts []string
	for _, m := range members {
		name, _ := json.Marshal(m.name) // a string
		var value bytes.Buffer
		_ = json.Compact(&value, m.value) // it was decoded, so it is valid
		parts = append(parts, string(name)+": "+spaced(value.String()))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// spaced adds the space that YAML wants after a colon between quotes.
func spaced(value string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(value); i++ {
		c := value[i]
		b.WriteByte(c)
		switch {
		case quoted && c == '\\':
			i++
			b.WriteByte(value[i])
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			b.WriteByte(' ')
		}
	}
	return b.String()
}
