package profile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxProblems bounds how many problems are reported at once. Someone with more
// has given us the wrong file.
const maxProblems = 20

// Problem is one thing that is wrong with a profile.
type Problem struct {
	File   string
	Line   int    // 1-based, 0 for something that is missing from the whole file
	Column int    // 1-based
	Text   string // one sentence, without secrets
	Source string // the line, credentials left out; empty where it would not help
}

// Error returns FILE:LINE:COLUMN: TEXT, followed by the source line.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	head := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
	if p.Source == "" {
		return head
	}
	return fmt.Sprintf("%s\n    %d | %s", head, p.Line, p.Source)
}

// source is the text of a profile, where each key of it stands, and what was
// found wrong with it. A path is the keys from the top, joined by dots.
type source struct {
	name        string
	lines       []string
	at          map[string]*token.Position
	substituted map[string]bool // paths whose value came from the environment, at least in part
	concealed   map[string]bool // values that are not to be shown with a line
	problems    []*Problem
}

func newSource(name string, data []byte) *source {
	return &source{name: name, lines: strings.Split(string(data), "\n"),
		at: map[string]*token.Position{}, substituted: map[string]bool{}, concealed: map[string]bool{}}
}

// parse returns the root of the one document in data.
func (s *source) parse(data []byte) (root ast.Node, err error) {
	// The parser is not ours and the text is anybody's.
	defer func() {
		if recover() != nil {
			root, err = nil, fmt.Errorf("%s: the YAML parser gave up on it; check quotes and indentation", s.name)
		}
	}()
	if depth(data) > maxDepth {
		return nil, fmt.Errorf("%s: brackets are nested deeper than %d levels; a quote or a closing bracket may be missing", s.name, maxDepth)
	}
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, s.syntax(err)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			s.reject(doc.Body.GetToken(), "a second document starts here; a profile is one document")
			return nil, s.err()
		}
		root = doc.Body
	}
	if root == nil {
		return nil, fmt.Errorf("%s: the profile is empty; it needs target, principals and checkout", s.name)
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

// syntax turns an error of the YAML parser into a Problem.
func (s *source) syntax(err error) error {
	var located yaml.Error
	if !errors.As(err, &located) || located.GetToken() == nil {
		return fmt.Errorf("%s: not YAML: the parser could not say where; check quotes and indentation", s.name)
	}
	hint := ""
	if at := located.GetToken().Position; at != nil && at.Line >= 1 && at.Line <= len(s.lines) {
		hint = syntaxHint(s.lines[at.Line-1])
	}
	s.reject(located.GetToken(), "not YAML: %s%s", s.mask(located.GetMessage()), hint)
	return s.err()
}

// reject reports what stands at a token, and shows its line.
func (s *source) reject(tk *token.Token, format string, args ...any) {
	p := &Problem{File: s.name, Text: fmt.Sprintf(format, args...)}
	if tk != nil && tk.Position != nil {
		p.Line, p.Column = tk.Position.Line, tk.Position.Column
	}
	if p.Line >= 1 && p.Line <= len(s.lines) {
		p.Source = s.lines[p.Line-1] // masked in err, once all secrets are known
	}
	s.problems = append(s.problems, p)
}

// wrong reports a value that is well-formed but does not make sense. Where the
// path itself is missing, it points at the nearest key above.
func (s *source) wrong(path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + " " + text
	}
	p := &Problem{File: s.name, Text: text}
	for path != "" {
		if at := s.at[path]; at != nil {
			p.Line, p.Column = at.Line, at.Column
			break
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	s.problems = append(s.problems, p)
}

// show quotes a value for a message, unless it came from the environment.
func (s *source) show(path, value string) string {
	if s.substituted[path] {
		return "its value from the environment"
	}
	return fmt.Sprintf("%q", s.mask(value))
}

// err joins what was found wrong, or is nil.
func (s *source) err() error {
	var all []error
	for i, p := range s.problems {
		if i == maxProblems {
			all = append(all, fmt.Errorf("%s: and %d more", s.name, len(s.problems)-i))
			break
		}
		if p.Source != "" {
			p.Source = clip(s.mask(p.Source), p.Column)
		}
		all = append(all, p)
	}
	s.problems = nil
	return errors.Join(all...)
}

// clip leaves what fits a terminal of a line, around the column.
func clip(line string, column int) string {
	const width = 120
	runes := []rune(strings.TrimRight(line, " \t\r"))
	if len(runes) <= width {
		return string(runes)
	}
	from := max(0, min(column-1-width/2, len(runes)-width))
	text := string(runes[from : from+width])
	if from > 0 {
		text = "…" + text
	}
	if from+width < len(runes) {
		text += "…"
	}
	return text
}
