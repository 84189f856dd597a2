package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// leaseName is what a step calls the lease under which it sets something.
const leaseName = "leaseMs"

// Step is one thing to do or to ask: a command or, if it has a URL, a request.
// {{names}} in arguments and URL are filled.
type Step struct {
	Command []string // run without a shell

	Method string // default: GET without a body, POST with one
	URL    string
	Header map[string]string
	Body   func(vars map[string]any) ([]byte, error) // JSON; nil for none
	Member string                                    // of a JSON answer, for example .clock.now; empty takes the whole body
}

var openName = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

func fill(text string, vars map[string]any, escape func(string) string) string {
	return openName.ReplaceAllStringFunc(text, func(name string) string {
		value, known := vars[openName.FindStringSubmatch(name)[1]]
		if !known {
			return name // a template of the command's own
		}
		return escape(fmt.Sprint(value))
	})
}

// argv returns the filled command.
func (s Step) argv(vars map[string]any) []string {
	argv := slices.Clone(s.Command)
	for i := range argv {
		argv[i] = fill(argv[i], vars, func(value string) string { return value })
	}
	return argv
}

// carry does the step and returns what it says: what the command printed, or
// what the answer holds.
func (r runner) carry(ctx context.Context, s Step, vars map[string]any) (string, error) {
	if s.URL == "" {
		return r.read(ctx, s.argv(vars))
	}
	var body []byte
	method := http.MethodGet
	if s.Body != nil {
		var err error
		if body, err = s.Body(vars); err != nil {
			return "", err
		}
		method = http.MethodPost
	}
	if s.Method != "" {
		method = s.Method
	}
	target := fill(s.URL, vars, url.QueryEscape)
	text, err := exchange(ctx, "it", method, target, s.Header, body)
	if err == nil && s.Member != "" {
		text, err = member(text, s.Member)
	}
	if err != nil {
		place, _, _ := strings.Cut(target, "?") // its query may hold a credential
		return "", fmt.Errorf("%s %s: %w", method, place, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// member returns a member of a JSON object as text: a string without quotes,
// anything else as it is written.
func member(text []byte, path string) ([]byte, error) {
	for _, name := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, errors.New("its answer is no JSON object where " + path + " is looked for")
		}
		value, ok := object[name]
		if !ok {
			return nil, errors.New("its answer holds no " + path)
		}
		text = value
	}
	var plain string
	if err := json.Unmarshal(text, &plain); err == nil {
		return []byte(plain), nil
	}
	return text, nil
}
