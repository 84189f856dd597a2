package main

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns up to n known names that are near the unknown one, nearest
// first: names that contain it, or that take few letters to become it.
func nearest(unknown string, known []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	unknown = strings.ToLower(unknown)
	var near []candidate
	for _, name := range known {
		lower := strings.ToLower(name)
		distance := edits(unknown, lower)
		if len(unknown) > 3 && strings.Contains(lower, unknown) {
			distance = 1
		}
		if distance <= max(2, min(len(unknown), len(lower))/3) {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, c := range near[:min(n, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// edits counts the insertions, deletions and replacements that turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// didYouMean makes a hint of suggestions, or falls back to another.
func didYouMean(near []string, otherwise string) string {
	if len(near) == 0 {
		return otherwise
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}
