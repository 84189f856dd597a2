package wiremock

import (
	"regexp"
	"strings"
)

// Router sends exchanges of a link to another upstream.
type Router interface {
	// Route sends exchange n (0 = every) of the case on the operation (empty =
	// any) to the base URL upstream, and notes fault with the calls.
	Route(caseID, operation string, exchange int, upstream, fault string) Routed
}

// Routed is a route that was set.
type Routed interface {
	Fired() int              // exchanges sent there so far
	FiredC() <-chan struct{} // closed at the first
	Lift()                   // removes the route; idempotent
}

// RouterFunc is a function that is a [Router].
type RouterFunc func(caseID, operation string, exchange int, upstream, fault string) Routed

// Route implements [Router].
func (f RouterFunc) Route(caseID, operation string, exchange int, upstream, fault string) Routed {
	return f(caseID, operation, exchange, upstream, fault)
}

// Link is a dependency link that stubs can answer on.
type Link struct {
	Name       string
	Operations map[string]Op
	Router     Router
}

// Op is one operation of a link. In Path, a segment in braces stands for any
// one segment.
type Op struct {
	Method, Path string
	Answers      map[string]Answer // the dependency's own, by name
}

// Answer is an answer of a dependency, to be given in its place.
type Answer struct {
	Status int
	Body   string // JSON, empty for none
}

// pattern returns the regular expression of the operation's paths. It is
// written for Java's and Go's expressions alike.
func (o Op) pattern() string {
	segments := strings.Split(o.Path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
			segments[i] = "[^/]+"
		} else {
			segments[i] = regexp.QuoteMeta(s)
		}
	}
	return strings.Join(segments, "/")
}
