package wire

import (
	"net/http"
	"strings"
)

// Operation is one kind of request on a link.
type Operation struct {
	Name   string
	Method string // empty matches every method
	Path   string // literal segments; "{x}" matches one; the query is ignored
	// Attribute returns candidate attribution values; the first that a case has
	// claimed decides. Nil means none.
	Attribute func(h http.Header, body []byte) []string
	KeyHeader string // header that carries the idempotency key
}

func (o Operation) matches(method, path string) bool {
	if o.Method != "" && o.Method != method {
		return false
	}
	want, got := strings.Split(o.Path, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i, w := range want {
		wild := strings.HasPrefix(w, "{") && strings.HasSuffix(w, "}")
		if (wild && got[i] == "") || (!wild && w != got[i]) {
			return false
		}
	}
	return true
}
