package profile

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// entries returns the members of a mapping.
func entries(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// scalar returns a scalar as it is spelt. Null is none.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func integer(n ast.Node) (int64, bool) {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return 0, false
	}
	switch value := i.Value.(type) {
	case int64:
		return value, true
	case uint64:
		return int64(value), value <= math.MaxInt64
	}
	return 0, false
}

// kind says what a node is, in the words of someone who wrote it.
func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.FloatNode:
		return "a fraction"
	case *ast.BoolNode:
		return "true or false"
	}
	return "something else"
}

// fields returns the fields of a structure by their keys, those of inlined
// structures among them.
func fields(v reflect.Value) map[string]reflect.Value {
	known := map[string]reflect.Value{}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			maps.Copy(known, fields(v.Field(i)))
		case name != "" && name != "-":
			known[name] = v.Field(i)
		}
	}
	return known
}

func names(known map[string]reflect.Value) []string { return slices.Collect(maps.Keys(known)) }
