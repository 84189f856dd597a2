package check

import "strings"

// names returns the names of header lines, each once, in order.
func names(lines [][2]string) []string {
	var list []string
	seen := map[string]bool{}
	for _, line := range lines {
		if name := strings.ToLower(line[0]); !seen[name] {
			seen[name] = true
			list = append(list, line[0])
		}
	}
	return list
}

// valuesIn returns the values of the lines of a header, in order.
func valuesIn(lines [][2]string, name string) []string {
	var values []string
	for _, line := range lines {
		if strings.EqualFold(line[0], name) {
			values = append(values, line[1])
		}
	}
	return values
}

// listed returns the values of a header as one list, which is what several lines
// of it mean.
func listed(lines [][2]string, name string) string { return strings.Join(valuesIn(lines, name), ", ") }
