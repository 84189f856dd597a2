package stub

import (
	"encoding/json"
	"net/http"
	"strings"
)

// pattern decides which requests are meant. The zero pattern means all.
type pattern struct {
	method  string // empty or ANY: every method
	urls    []func(received) bool
	headers map[string]matcher
	query   map[string]matcher
	bodies  []matcher
}

// parsePattern reads the "request" of a mapping, and the body of a journal query.
func parsePattern(p *pattern) reader {
	p.headers, p.query = map[string]matcher{}, map[string]matcher{}
	whole := func(r received) string { return r.url }
	path := func(r received) string { return r.path }
	return object(map[string]reader{
		"method":         into(&p.method),
		"url":            p.exact(whole),
		"urlPath":        p.exact(path),
		"urlPattern":     p.regexp(whole),
		"urlPathPattern": p.regexp(path),
		"headers":        named(p.headers, http.CanonicalHeaderKey),
		"queryParameters": named(p.query, func(name string) string {
			return name
		}),
		"bodyPatterns": list(func(pointer string, raw json.RawMessage) error {
			var m matcher
			err := parseMatcher(&m)(pointer, raw)
			p.bodies = append(p.bodies, m)
			return err
		}),
	})
}

func (p *pattern) exact(of func(received) string) reader {
	return func(pointer string, raw json.RawMessage) error {
		var want string
		err := into(&want)(pointer, raw)
		p.urls = append(p.urls, func(r received) bool { return of(r) == want })
		return err
	}
}

func (p *pattern) regexp(of func(received) string) reader {
	return func(pointer string, raw json.RawMessage) error {
		var expr string
		if err := into(&expr)(pointer, raw); err != nil {
			return err
		}
		re, err := compile(pointer, expr)
		p.urls = append(p.urls, func(r received) bool { return re.MatchString(of(r)) })
		return err
	}
}

func named(dst map[string]matcher, canonical func(string) string) reader {
	return each(func(name string) reader {
		return func(pointer string, raw json.RawMessage) error {
			var m matcher
			err := parseMatcher(&m)(pointer, raw)
			dst[canonical(name)] = m
			return err
		}
	})
}

// matches reports whether the request is meant. Of a repeated header or query
// parameter, one value that fits is enough.
func (p *pattern) matches(r received) bool {
	if p.method != "" && p.method != "ANY" && !strings.EqualFold(p.method, r.method) {
		return false
	}
	for _, url := range p.urls {
		if !url(r) {
			return false
		}
	}
	for name, m := range p.headers {
		if !anyOf(m, r.header[name]) {
			return false
		}
	}
	for name, m := range p.query {
		if !anyOf(m, r.query[name]) {
			return false
		}
	}
	body := string(r.body)
	for _, m := range p.bodies {
		if !m(&body) {
			return false
		}
	}
	return true
}

func anyOf(m matcher, values []string) bool {
	if len(values) == 0 {
		return m(nil)
	}
	for i := range values {
		if m(&values[i]) {
			return true
		}
	}
	return false
}
