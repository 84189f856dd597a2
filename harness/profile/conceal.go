package profile

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Credentials are found twice: by where they stand, and, since a line that did
// not parse has no places, by what they look like.
var (
	schemeCredential = regexp.MustCompile(`(?i)(\b(?:bearer|basic|digest|negotiate)\s+)((?:\$\{\w*\}|[^\s"',}])+)`)
	namedCredential  = regexp.MustCompile(`(?i)([\w.-]*(?:auth|cookie|key|token|secret|passw|dsn)[\w.-]*["']?\s*:\s*)("[^"]*"?|'[^']*'?|[^\s"',{}\[\]]+)`)
	onlyScheme       = regexp.MustCompile(`(?i)^["']?(bearer|basic|digest|negotiate)?\s*["']?$`)
	userInfo         = regexp.MustCompile(`(://)[^/\s"'@]+@`)
	secretName       = regexp.MustCompile(`(?i)auth|cookie|key|token|secret|passw`)
)

// minConcealed is the shortest value worth hiding: shorter ones would blank out
// the words that explain the problem.
const minConcealed = 6

// mask returns a line without credentials.
func (s *source) mask(line string) string {
	// Longer values first, so that one that contains another is hidden whole.
	hidden := slices.SortedFunc(maps.Keys(s.concealed), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	for _, secret := range hidden {
		line = strings.ReplaceAll(line, secret, "…")
	}
	line = hideSecond(schemeCredential, line)
	line = hideSecond(namedCredential, line)
	return userInfo.ReplaceAllString(line, "$1…@")
}

// hideSecond hides the second group of each match, unless it only names
// variables: the name is no secret, and the message may be about it.
func hideSecond(pattern *regexp.Regexp, line string) string {
	return pattern.ReplaceAllStringFunc(line, func(match string) string {
		m := pattern.FindStringSubmatch(match)
		if rest := variable.ReplaceAllString(m[2], ""); rest != m[2] && onlyScheme.MatchString(rest) || strings.Contains(m[2], "…") {
			return match
		}
		return m[1] + "…"
	})
}

// conceal keeps the text below a node out of the lines that are shown: what it
// stands for is not known, so it may be a credential.
func (s *source) conceal(n ast.Node) {
	if n == nil {
		return
	}
	ast.Walk(concealer{s}, n)
}

type concealer struct{ src *source }

func (c concealer) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.MappingValueNode:
		if n.Value != nil {
			ast.Walk(c, n.Value) // not the key, which the message is about
		}
		return nil
	case *ast.StringNode:
		c.add(n.Value)
	case *ast.LiteralNode:
		for line := range strings.SplitSeq(n.Value.Value, "\n") {
			c.add(line)
		}
		return nil
	}
	return c
}

func (c concealer) add(text string) {
	text = strings.TrimSpace(text)
	if len(text) >= minConcealed && !variable.MatchString(text) {
		c.src.concealed[text] = true
	}
}
