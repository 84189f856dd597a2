package telemetry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fields are the scalar members of a JSON object at any depth, by their plain
// names. A member of an object within is found by its own name, and by that with
// the names of those around it before it.
type fields map[string]any

// members returns the fields of a line that is a JSON object.
func members(line string) (fields, bool) {
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) != nil || object == nil {
		return nil, false
	}
	f := fields{}
	f.object("", object, 0)
	return f, true
}

// maxDepth bounds how deep members are looked for.
const maxDepth = 8

func (f fields) object(path string, object map[string]any, depth int) {
	// An attribute as OpenTelemetry writes it is one member and no object.
	if key, ok := attribute(object); ok {
		f.value("", key, object["Value"], object["value"], depth)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) { // of two members with one name always the same is found
		f.value(path, name, object[name], nil, depth)
	}
}

func attribute(object map[string]any) (string, bool) {
	for _, member := range []string{"Key", "key"} {
		if key, ok := object[member].(string); ok && (object["Value"] != nil || object["value"] != nil) {
			return key, true
		}
	}
	return "", false
}

func (f fields) value(path, name string, value, other any, depth int) {
	if value == nil {
		value = other
	}
	if depth > maxDepth {
		return
	}
	switch v := value.(type) {
	case nil:
	case map[string]any:
		if inner, ok := v["Value"]; ok { // the typed value of an attribute
			f.value(path, name, inner, nil, depth+1)
			return
		}
		for _, typed := range []string{"stringValue", "intValue", "boolValue", "doubleValue"} {
			if inner, ok := v[typed]; ok {
				f.value(path, name, inner, nil, depth+1)
				return
			}
		}
		f.object(path+plain(name), v, depth+1)
	case []any:
		for _, one := range v {
			if inner, ok := one.(map[string]any); ok {
				f.object(path+plain(name), inner, depth+1)
			}
		}
	default:
		f.set(plain(name), v, path == "")
		f.set(path+plain(name), v, true)
	}
}

// set keeps the value that stands highest, where two have the same name.
func (f fields) set(name string, v any, over bool) {
	if _, taken := f[name]; !taken || over {
		f[name] = v
	}
}

func (f fields) text(names ...string) string {
	for _, name := range names {
		switch v := f[name].(type) {
		case string:
			return v
		case json.Number:
			return v.String()
		}
	}
	return ""
}

func (f fields) number(names ...string) int {
	n, err := strconv.Atoi(f.text(names...))
	if err != nil {
		return 0
	}
	return n
}

// time reads a time as RFC 3339 or as a number of nanoseconds.
func (f fields) time(names ...string) time.Time {
	text := f.text(names...)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 1e15 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

// failed reports whether a span says that it ended with an error.
func (f fields) failed() bool {
	if v, ok := f["failed"].(bool); ok {
		return v
	}
	status := strings.ToLower(fmt.Sprint(f["statuscode"]))
	return status == "error" || status == "status_code_error" || status == "2"
}
