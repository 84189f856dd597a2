package profile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// fill replaces the open names of a tree.
func fill(value any, vars map[string]any) (any, error) {
	switch value := value.(type) {
	case object:
		filled := make(object, len(value))
		for i, m := range value {
			inner, err := fill(m.value, vars)
			if err != nil {
				return nil, err
			}
			filled[i] = member{m.name, inner}
		}
		return filled, nil
	case list:
		filled := make(list, len(value))
		for i, item := range value {
			inner, err := fill(item, vars)
			if err != nil {
				return nil, err
			}
			filled[i] = inner
		}
		return filled, nil
	case string:
		if m := placeholder.FindStringSubmatch(value); m != nil && m[0] == value {
			return lookUp(m[1], vars) // alone: the JSON type is kept
		}
		return fillText(value, vars, nil)
	}
	return value, nil
}

// fillText replaces the open names of a longer text. With an escape it is a
// path, in which an empty value would name another resource.
func fillText(text string, vars map[string]any, escape func(string) string) (string, error) {
	var failed error
	filled := placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := placeholder.FindStringSubmatch(match)[1]
		value, err := lookUp(name, vars)
		if err != nil {
			failed = err
			return ""
		}
		s, err := format(value)
		if err != nil {
			failed = fmt.Errorf("{{%s}}: %w", name, err)
			return ""
		}
		if escape == nil {
			return s
		}
		if s == "" {
			failed = fmt.Errorf("{{%s}} is empty", name)
		}
		return escape(s)
	})
	return filled, failed
}

func lookUp(name string, vars map[string]any) (any, error) {
	value, ok := vars[name]
	if !ok {
		return nil, fmt.Errorf("nothing is known for {{%s}}%s", name, suggest(name, slices.Collect(maps.Keys(vars))))
	}
	return value, nil
}

// format writes a value into a longer text: strings as they are, anything else
// as JSON.
func format(value any) (string, error) {
	if s, ok := value.(string); ok {
		return s, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}
