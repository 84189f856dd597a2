package profile

import (
	"encoding"
	"math"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// decoder fills a profile from the YAML tree. It is written here rather than
// left to the YAML package since it has to go on after a problem, to suggest a
// key from its siblings, to keep the order of bodies, to leave a default where a
// key is absent, and to never print a value of the environment.
type decoder struct {
	src     *source
	env     func(string) (string, bool)
	secrets map[string]string
}

func (d *decoder) decode(root ast.Node, p *Profile) {
	d.value(root, reflect.ValueOf(p).Elem(), "")
}

// value decodes n into v, which holds the default.
func (d *decoder) value(n ast.Node, v reflect.Value, path string) {
	if !d.plain(n, path) {
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch target := v.Addr().Interface().(type) {
	case *Template:
		*target = Template{d.tree(n, path)}
		return
	case *DialectSpec:
		d.dialect(n, target, path)
		return
	case *Step:
		if _, command := n.(*ast.SequenceNode); command {
			d.list(n, reflect.ValueOf(&target.Command).Elem(), path)
			return
		}
	}
	if text, ok := scalar(n); ok && d.short(n, v, text, path) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	default:
		d.scalar(n, v, path)
	}
}

// plain refuses the parts of YAML that a profile does without.
func (d *decoder) plain(n ast.Node, path string) bool {
	switch n.(type) {
	case *ast.AliasNode, *ast.AnchorNode, *ast.TagNode:
		d.src.conceal(n)
		d.src.reject(n.GetToken(), "%sYAML anchors, aliases and tags are not used in a profile; write the value out", prefix(path))
		return false
	case *ast.NullNode:
		d.src.reject(n.GetToken(), "%sno value given; leave the key out or give it one", prefix(path))
		return false
	}
	return true
}

func (d *decoder) structure(n ast.Node, v reflect.Value, path string) {
	known := fields(v)
	d.entries(n, path, func(key string, tk *token.Token, value ast.Node) {
		if field, ok := known[key]; ok {
			d.value(value, field, join(path, key))
			return
		}
		d.src.conceal(value)
		d.src.reject(tk, "unknown key %q%s%s", d.src.mask(key), within(path), suggest(key, names(known)))
	})
}

func (d *decoder) mapping(n ast.Node, v reflect.Value, path string) {
	v.Set(reflect.MakeMap(v.Type()))
	d.entries(n, path, func(key string, _ *token.Token, value ast.Node) {
		element := reflect.New(v.Type().Elem()).Elem()
		at := join(path, key)
		d.value(value, element, at)
		v.SetMapIndex(reflect.ValueOf(key), element)
		if last(path) == "header" {
			d.src.conceal(value)
		}
	})
}

func (d *decoder) list(n ast.Node, v reflect.Value, path string) {
	sequence, ok := n.(*ast.SequenceNode)
	if !ok {
		d.mismatch(n, path, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(sequence.Values), len(sequence.Values)))
	for i, item := range sequence.Values {
		d.value(item, v.Index(i), path)
	}
}

func (d *decoder) scalar(n ast.Node, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		if text, ok := scalar(n); ok {
			v.SetString(d.substitute(text, path, n.GetToken()))
			return
		}
		d.mismatch(n, path, "text")
	case reflect.Bool:
		if b, ok := n.(*ast.BoolNode); ok {
			v.SetBool(b.Value)
			return
		}
		d.mismatch(n, path, "true or false")
	case reflect.Int:
		if number, ok := integer(n); ok && number >= math.MinInt32 && number <= math.MaxInt32 {
			v.SetInt(number)
			return
		}
		d.mismatch(n, path, "a whole number up to 2147483647")
	default:
		// Only a new field of a kind that nobody taught the decoder comes here.
		d.src.reject(n.GetToken(), "%sa profile cannot hold a %s", prefix(path), v.Kind())
	}
}

// short reads values that have a text form, such as durations.
func (d *decoder) short(n ast.Node, v reflect.Value, text, path string) bool {
	if knob, ok := shortKnob(v.Addr().Interface(), text); ok {
		v.Set(knob)
		return true
	}
	target, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
	if !ok {
		return false
	}
	if err := target.UnmarshalText([]byte(d.substitute(text, path, n.GetToken()))); err != nil {
		if d.src.substituted[path] {
			d.src.reject(n.GetToken(), "%s: the value of its environment variable cannot be used here", path)
		} else {
			d.src.reject(n.GetToken(), "%s: %s", path, d.src.mask(err.Error()))
		}
	}
	return true
}

// entries calls do for each key of a mapping, and reports repeated ones.
func (d *decoder) entries(n ast.Node, path string, do func(key string, tk *token.Token, value ast.Node)) {
	members, ok := entries(n)
	if !ok {
		d.mismatch(n, path, "a mapping")
		return
	}
	seen := map[string]int{}
	for _, m := range members {
		tk := m.Key.GetToken()
		key, ok := scalar(m.Key)
		if !ok || m.Key.IsMergeKey() {
			d.src.conceal(m.Value)
			d.src.reject(tk, "%skeys are plain words; merge keys and complex keys are not used in a profile", prefix(path))
			continue
		}
		if line, twice := seen[key]; twice {
			d.src.conceal(m.Value)
			d.src.reject(tk, "the key %q is given twice%s, first in line %d", d.src.mask(key), within(path), line)
			continue
		}
		seen[key] = tk.Position.Line
		d.src.at[join(path, key)] = tk.Position
		if m.Value == nil {
			d.src.reject(tk, "%s: no value given; leave the key out or give it one", join(path, key))
			continue
		}
		do(key, tk, m.Value)
	}
}

func (d *decoder) mismatch(n ast.Node, path, want string) {
	d.src.conceal(n)
	d.src.reject(n.GetToken(), "%sexpected %s, found %s", prefix(path), want, kind(n))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

func within(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
