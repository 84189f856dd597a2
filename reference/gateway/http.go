package gateway

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// Limits of a request body.
const (
	maxBody     = 1 << 20
	bodyTimeout = 10 * time.Second
)

// The public routes: what lies below prefix is an item, what lies below that and
// ends in holds its reservations.
const (
	Prefix = "/catalog/"
	holds  = "/holds"
)

// ServeHTTP implements [http.Handler].
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := g.CorrelationID(r)
	answer := g.Refuse(broken(), id) // what a panic leaves
	g.guard(id, func() { answer = g.route(w, r, id) })
	write(w, answer, id)
}

func (g *Gateway) route(w http.ResponseWriter, r *http.Request, id string) Answer {
	caller, err := g.Authenticate(r)
	if err != nil {
		g.Log.Info("unauthenticated", "correlationId", id)
		return g.Refuse(unauthenticated(), id)
	}
	target, found := target(r)
	if !found {
		return g.Refuse(notFound(), id)
	}
	key, err := g.ReadKey(r.Header)
	if err != nil {
		return g.Refuse(invalid(err), id)
	}
	c := call{caller: caller, method: r.Method, target: target, id: id, contentType: r.Header.Get("Content-Type")}
	if r.Method != http.MethodGet {
		c.key = key // one on a read would change nothing and goes no further
		if c.body, err = readBody(w, r); err != nil {
			return g.Refuse(invalid(errors.New("the body is incomplete, too slow or longer than 1 MiB")), id)
		}
	}
	return g.make(r, c)
}

// target returns path and query of the dependency for a request, as they were
// written, and whether there is such an operation.
func target(r *http.Request) (string, bool) {
	item, ours := strings.CutPrefix(r.URL.EscapedPath(), Prefix)
	suffix := ""
	if r.Method == http.MethodPost {
		if item, ours = strings.CutSuffix(item, holds); !ours {
			return "", false
		}
		suffix = holds
	}
	name, err := url.PathUnescape(item)
	if !ours || r.Method != http.MethodGet && r.Method != http.MethodPost || err != nil ||
		name == "" || name == "." || name == ".." || strings.Contains(name, "/") { // none may climb out of the items
		return "", false
	}
	made := "/items/" + item + suffix
	if r.URL.RawQuery != "" {
		made += "?" + r.URL.RawQuery
	}
	return made, true
}

// guard keeps a panic of f from ending the process. The panic's value may hold
// anything, so only the stack is logged.
func (g *Gateway) guard(id string, f func()) {
	defer func() {
		if recover() != nil {
			g.Log.Error("panic", "correlationId", id, "stack", string(debug.Stack()))
		}
	}()
	f()
}

// readBody limits the reading of the body alone. A read deadline that stayed in
// force would look like a disconnect in the middle of the call.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTimeout)) // where there is none to set, there is no connection to wait for
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = connection.SetReadDeadline(time.Time{})
	return body, err
}

func write(w http.ResponseWriter, a Answer, id string) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.Header().Set(CorrelationHeader, id)
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a caller who left asks again
}
