package known

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/oncecheck/oncecheck/harness"
)

// maxFile and maxDepth bound a list: people wrote it, and the YAML parser takes
// quadratic time on deep nesting.
const (
	maxFile  = 64 << 10
	maxDepth = 20
)

// Load reads the list at path.
func Load(path string) ([]harness.KnownFailure, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the known failures: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a list from data; name is used in errors, which join one line for
// each thing that is wrong. A list without entries is fine: the last known
// failure was mended.
func Parse(name string, data []byte) ([]harness.KnownFailure, error) {
	p := &list{name: name}
	root, err := p.tree(data)
	if err != nil || root == nil {
		return nil, err
	}
	items, ok := root.(*ast.SequenceNode)
	if !ok {
		p.reject(root, "expected a list: each entry begins with a dash")
		return nil, errors.Join(p.problems...)
	}
	var entries []harness.KnownFailure
	for _, item := range items.Values {
		if k, ok := p.entry(item); ok {
			if slices.ContainsFunc(entries, func(o harness.KnownFailure) bool { return o.String() == k.String() }) {
				p.reject(item, "%s is listed twice", k)
			}
			entries = append(entries, k)
		}
	}
	if len(p.problems) > 0 {
		return nil, errors.Join(p.problems...)
	}
	return entries, nil
}

type list struct {
	name     string
	problems []error
}

func (p *list) reject(n ast.Node, format string, args ...any) {
	p.problems = append(p.problems, fmt.Errorf("%s:%d: %s", p.name, line(n), fmt.Sprintf(format, args...)))
}

func line(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// tree returns the one document of data, nil if it is empty.
func (p *list) tree(data []byte) (root ast.Node, err error) {
	// The parser is not ours and the text is anybody's.
	defer func() {
		if recover() != nil {
			root, err = nil, fmt.Errorf("%s: the YAML parser gave up on it; check quotes and indentation", p.name)
		}
	}()
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: it is larger than %d KiB", p.name, maxFile>>10)
	}
	if depth(data) > maxDepth {
		return nil, fmt.Errorf("%s: brackets are nested deeper than %d levels; a quote or a closing bracket may be missing", p.name, maxDepth)
	}
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var located yaml.Error
		if errors.As(err, &located) && located.GetToken() != nil && located.GetToken().Position != nil {
			return nil, fmt.Errorf("%s:%d: not YAML: %s", p.name, located.GetToken().Position.Line, located.GetMessage())
		}
		return nil, fmt.Errorf("%s: not YAML; check quotes and indentation", p.name)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, comment := doc.Body.(*ast.CommentGroupNode); comment {
			continue
		}
		if root != nil {
			return nil, fmt.Errorf("%s:%d: a second document starts here; the list is one document", p.name, line(doc.Body))
		}
		root = doc.Body
	}
	return root, nil
}

// depth is how deep brackets nest, those in quotes included: it guards the
// parser and need not be exact.
func depth(data []byte) (deepest int) {
	open := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			open++
			deepest = max(deepest, open)
		case ']', '}':
			open = max(0, open-1)
		}
	}
	return deepest
}

// members are the keys of an entry, in the order in which one is written.
func members() []string { return []string{"clause", "check", "reason", "link", "owner", "expires"} }

// entry reads one entry. It reports false, and why, if the entry is not whole.
func (p *list) entry(n ast.Node) (harness.KnownFailure, bool) {
	before := len(p.problems)
	values := map[string]string{}
	pairs, ok := pairs(n)
	if !ok {
		p.reject(n, "expected an entry with %s", strings.Join(members(), ", "))
		return harness.KnownFailure{}, false
	}
	for _, pair := range pairs {
		key, plain := scalar(pair.Key)
		_, twice := values[key]
		switch {
		case !plain || !slices.Contains(members(), key):
			p.reject(pair.Key, "unknown key %q; an entry has clause or check, reason, link, owner and expires", key)
			continue
		case twice:
			p.reject(pair.Key, "%s is given twice", key)
			continue
		}
		value, plain := scalar(pair.Value)
		if !plain {
			p.reject(pair.Key, "%s has to be text, without YAML anchors, aliases and tags", key)
		}
		values[key] = strings.TrimSpace(value)
	}
	k := harness.KnownFailure{Clause: harness.ClauseID(values["clause"]), Check: values["check"],
		Known: harness.Known{Reason: values["reason"], Link: values["link"], Owner: values["owner"], Expires: values["expires"]}}
	if len(p.problems) == before {
		p.check(n, k)
	}
	return k, len(p.problems) == before
}

// blank is what a suggested entry has where somebody has to decide.
var blank = regexp.MustCompile(`^<.*>$`)

// check refuses an entry that says too little.
func (p *list) check(n ast.Node, k harness.KnownFailure) {
	if (k.Clause == "") == (k.Check == "") {
		p.reject(n, "an entry names either a clause or a check (name@scenario)")
		return
	}
	if name, scenario, ok := strings.Cut(k.Check, "@"); k.Check != "" && (!ok || name == "" || scenario == "") {
		p.reject(n, "check %q is not of the form name@scenario", k.Check)
	}
	for _, m := range []struct{ key, value string }{{"reason", k.Reason}, {"link", k.Link}, {"owner", k.Owner}, {"expires", k.Expires}} {
		switch {
		case m.value == "":
			p.reject(n, "%s: %s is required: nobody answers for a failure without it", k, m.key)
		case blank.MatchString(m.value):
			p.reject(n, "%s: %s is still the blank %s: fill it in", k, m.key, m.value)
		case m.key == "link" && !absolute(m.value):
			p.reject(n, "%s: link %q is no absolute http or https URL", k, m.value)
		case m.key == "expires" && !isDate(m.value):
			p.reject(n, "%s: expires %q is no date of the form 2006-01-31", k, m.value)
		}
	}
}

func absolute(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// scalar returns a scalar as it is spelt. Null is none.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}
