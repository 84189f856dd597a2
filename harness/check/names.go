package check

import (
	"maps"
	"slices"
)

// sortedNames returns the keys of a map in order, so that judging twice says the
// same twice.
func sortedNames[T any](by map[string]T) []string { return slices.Sorted(maps.Keys(by)) }
