package profile

import (
	"slices"
	"strings"
)

// suggest ends a sentence about an unknown name: with the nearest known one if
// it is near, else with all of them.
func suggest(unknown string, known []string) string {
	if len(known) == 0 {
		return "; nothing is known here"
	}
	best, distance := "", len(unknown)
	for _, k := range known {
		if d := editDistance(strings.ToLower(unknown), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	// A third of the letters: "chekout" is a slip, "foo" for "url" is not.
	if best != "" && distance <= max(1, max(len(unknown), len(best))/3) {
		return `; did you mean "` + best + `"?`
	}
	sorted := slices.Sorted(slices.Values(known))
	return "; known here: " + strings.Join(sorted, ", ")
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours that turn a into b, byte by byte.
func editDistance(a, b string) int {
	// A name that long is no slip of a key; the bound keeps the table small.
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(replace, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
