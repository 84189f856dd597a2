package profile

import (
	"regexp"
	"strings"
)

// bare is a placeholder that begins a value without a quote before it: to YAML it
// is a mapping in a mapping.
var bare = regexp.MustCompile(`[:,\[{-]\s*\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// syntaxHint says of a line that is not YAML what people write there most.
func syntaxHint(line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if strings.Contains(indent, "\t") {
		return "; a tab indents this line, and YAML takes spaces only"
	}
	if m := bare.FindStringSubmatch(line); m != nil {
		return "; put {{" + m[1] + `}} into quotes: "{{` + m[1] + `}}"`
	}
	return ""
}
