package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// placeholder is a name that a request template leaves open.
var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// Template is a JSON value with open {{names}} that keeps the order in which its
// members were written.
type Template struct{ root any }

// The tree of a template: object, list, or a scalar that is a string, a
// json.Number, a bool or nil.
type (
	object []member
	list   []any
	member struct {
		name  string
		value any
	}
)

// names returns the open names of the template in order, repeated ones included.
func (t Template) names() []string { return openNames(nil, t.root) }

func openNames(found []string, value any) []string {
	switch value := value.(type) {
	case object:
		for _, m := range value {
			found = openNames(found, m.value)
		}
	case list:
		for _, item := range value {
			found = openNames(found, item)
		}
	case string:
		for _, m := range placeholder.FindAllStringSubmatch(value, -1) {
			found = append(found, m[1])
		}
	}
	return found
}

// tree reads any YAML value.
func (d *decoder) tree(n ast.Node, path string) any {
	if _, null := n.(*ast.NullNode); null {
		return nil // a body may well hold null
	}
	if !d.plain(n, path) {
		return nil
	}
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		members := object{}
		d.entries(n, path, func(key string, _ *token.Token, value ast.Node) {
			members = append(members, member{key, d.tree(value, join(path, key))})
		})
		return members
	case *ast.SequenceNode:
		items := list{}
		for _, item := range n.Values {
			items = append(items, d.tree(item, path))
		}
		return items
	case *ast.BoolNode:
		return n.Value
	case *ast.IntegerNode:
		return json.Number(fmt.Sprint(n.Value))
	case *ast.FloatNode:
		// The spelling stays where JSON allows it: 12.50 is not 12.5 to a target
		// that compares bytes.
		if spelt := n.GetToken().Value; json.Valid([]byte(spelt)) {
			return json.Number(spelt)
		}
		if text, err := json.Marshal(n.Value); err == nil {
			return json.Number(text)
		}
	}
	text, ok := scalar(n)
	if !ok {
		d.mismatch(n, path, "a JSON value")
		return nil
	}
	text = d.substitute(text, path, n.GetToken())
	if strings.Contains(placeholder.ReplaceAllString(text, ""), "{{") {
		d.src.reject(n.GetToken(), "%sholds a {{ that does not begin a name of the form {{name}}", prefix(path))
	}
	return text
}

// writeJSON writes a tree with its members in order.
func writeJSON(out *bytes.Buffer, value any) error {
	switch value := value.(type) {
	case object:
		out.WriteByte('{')
		for i, m := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := writeJSON(out, m.name); err != nil {
				return err
			}
			out.WriteByte(':')
			if err := writeJSON(out, m.value); err != nil {
				return err
			}
		}
		out.WriteByte('}')
		return nil
	case list:
		out.WriteByte('[')
		for i, item := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := writeJSON(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	}
	// Angle brackets stay as they are: nothing here ends up in a web page.
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the encoder's newline
	return nil
}
