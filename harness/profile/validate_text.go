package profile

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	method    = regexp.MustCompile(`^[A-Z]+$`)
	fieldName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
)

func isToken(name string) bool { return fieldName.MatchString(name) }

// header refuses what would break a request apart.
func (s *source) header(path string, header map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		at := path + ".header." + name
		if !isToken(name) {
			s.wrong(at, "is no header name")
		}
		if strings.ContainsAny(header[name], "\r\n\x00") {
			s.wrong(at, "holds a line break; header values are one line")
		}
		if http.CanonicalHeaderKey(name) == "Content-Length" || http.CanonicalHeaderKey(name) == "Transfer-Encoding" {
			s.wrong(at, "is set by the sender, which knows the body")
		}
	}
}

func (s *source) oneOf(path, value string, words []string) {
	if !slices.Contains(words, value) {
		s.wrong(path, "is %s, which is none of %s", s.show(path, value), strings.Join(words, ", "))
	}
}

// schemeless is a host and a port alone, of which the URL parser makes a scheme or
// nothing at all.
var schemeless = regexp.MustCompile(`^[A-Za-z0-9.\-]+:[0-9]+(/|$)`)

// url checks an absolute http or https URL without credentials; it returns nil
// if that failed. {{names}} are allowed and stand for anything.
func (s *source) url(path, text string) *url.URL {
	if !strings.Contains(text, "://") && schemeless.MatchString(text) {
		s.wrong(path, "has no scheme: write http:// or https:// before it, for example http://127.0.0.1:8080")
		return nil
	}
	u, err := url.Parse(placeholder.ReplaceAllString(text, "0"))
	if err != nil {
		// The error of the URL parser repeats the URL, which may hold a password.
		s.wrong(path, "is no URL; it must look like https://host:port/path")
		return nil
	}
	switch {
	case u.User != nil:
		s.wrong(path, "must hold no user or password: they would end up in logs; use a header from the environment")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		s.wrong(path, "must be an absolute http or https URL, for example http://127.0.0.1:8080; it is %s", s.show(path, text))
	case strings.Contains(text, "{{") && strings.Contains(strings.SplitN(text, "/", 4)[2], "{{"):
		s.wrong(path, "must name its host; only path and query may hold {{names}}")
	default:
		return u
	}
	return nil
}

// positive reports numbers that must be above zero.
func (s *source) positive(path string, value int64) {
	if value <= 0 {
		s.wrong(path, "must be above zero; it is %s", fmt.Sprint(value))
	}
}
