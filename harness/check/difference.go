package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// bodyDifference says where the bodies of two answers differ first: by
// member where both bodies are JSON, else by byte. It names places and never
// values: those are in the history, where secrets are replaced. What was replaced
// there, or left out as too long, cannot be placed.
func bodyDifference(winner, loser harness.Answer) string {
	sizes := fmt.Sprintf("(%d bytes, the winner's has %d)", loser.BodyBytes, winner.BodyBytes)
	if winner.Body == loser.Body {
		return "in a part that the history does not hold: beyond the first 16 KiB, or within a secret " + sizes
	}
	a, errA := document(winner.Body)
	b, errB := document(loser.Body)
	switch at := firstByte(winner.Body, loser.Body); {
	case errA != nil || errB != nil:
		return fmt.Sprintf("from byte %d of what the history holds %s", at, sizes)
	default:
		if where := jsonDifference("", a, b); where != "" {
			return clipped(where) + " " + sizes
		}
		return fmt.Sprintf("from byte %d on, where the same JSON is spelt otherwise %s", at, sizes)
	}
}

// document parses a body that is one JSON value, and keeps numbers as they are
// spelt.
func document(body string) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(body)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

// jsonDifference returns the first difference of two JSON values, in order of
// the members' names, or "".
func jsonDifference(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		other, same := b.(map[string]any)
		if !same {
			break
		}
		names := maps.Clone(a)
		maps.Copy(names, other)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			inner := path + "." + name
			left, was := a[name]
			right, is := other[name]
			switch {
			case !is:
				return "at " + inner + ": missing"
			case !was:
				return "at " + inner + ": not in the winner's"
			}
			if where := jsonDifference(inner, left, right); where != "" {
				return where
			}
		}
		return ""
	case []any:
		other, same := b.([]any)
		if !same {
			break
		}
		for i := range min(len(a), len(other)) {
			if where := jsonDifference(fmt.Sprintf("%s[%d]", path, i), a[i], other[i]); where != "" {
				return where
			}
		}
		if len(a) != len(other) {
			return fmt.Sprintf("at %s: %d elements, the winner's has %d", cmp.Or(path, "the top"), len(other), len(a))
		}
		return ""
	}
	was, is := kind(a), kind(b)
	switch {
	case was != is:
		return fmt.Sprintf("at %s: %s, the winner's is %s", cmp.Or(path, "the top"), is, was)
	case a != b:
		return fmt.Sprintf("at %s: another %s", cmp.Or(path, "the top"), is)
	}
	return ""
}

// kind is the JSON type of a value.
func kind(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "list"
	case string:
		return "text"
	case json.Number:
		return "number"
	case bool:
		return "truth value"
	}
	return "null"
}

// firstByte is the 0-based place of the first byte that differs.
func firstByte(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// clipped bounds what the target may have chosen as it liked: names of members.
func clipped(text string) string {
	const most = 120
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
