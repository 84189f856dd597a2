package stub

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// parseEqualToJSON reads the expected document, which go-wiremock sends as a
// string and others as JSON. ignoreExtra is read when matching, since it may
// stand after the document.
func parseEqualToJSON(pointer string, raw json.RawMessage, ignoreExtra *bool) (matcher, error) {
	text := string(raw)
	if strings.HasPrefix(text, `"`) {
		if err := into(&text)(pointer, raw); err != nil {
			return nil, err
		}
	}
	want, err := decodeJSON(text)
	if err != nil {
		return nil, &fieldError{pointer, "is no JSON document"}
	}
	if strings.Contains(text, "${json-unit.") {
		return nil, &fieldError{pointer, "has a json-unit placeholder, which is not implemented by this stub server"}
	}
	return func(v *string) bool {
		if v == nil {
			return false
		}
		got, err := decodeJSON(*v)
		return err == nil && equalJSON(want, got, *ignoreExtra)
	}, nil
}

// decodeJSON reads exactly one document and keeps numbers as written.
func decodeJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return v, nil
}

func equalJSON(want, got any, ignoreExtra bool) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) < len(want) || (!ignoreExtra && len(got) != len(want)) {
			return false
		}
		for name, w := range want {
			if g, has := got[name]; !has || !equalJSON(w, g, ignoreExtra) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for i := range want {
			if !equalJSON(want[i], got[i], ignoreExtra) {
				return false
			}
		}
		return true
	case json.Number:
		got, ok := got.(json.Number)
		return ok && equalNumber(string(want), string(got))
	}
	return want == got
}

// equalNumber compares integers as written, so that amounts beyond 2^53 do not
// collapse, and everything else by value.
func equalNumber(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") && !strings.ContainsAny(b, ".eE") {
		return false
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}
