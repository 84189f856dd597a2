package checkout

import (
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
)

// Limits of a request body.
const (
	maxBody     = 1 << 20
	bodyTimeout = 10 * time.Second
)

// ServeHTTP implements [http.Handler].
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := correlationID(r)
	answer := unavailable("", id) // what a panic leaves
	s.guard(id, func() { answer = s.route(w, r, id) })
	write(w, answer)
}

// route compares paths literally: a router that redirects to cleaned paths would
// answer for ids nobody asked it about.
func (s *Service) route(w http.ResponseWriter, r *http.Request, id string) Answer {
	caller, err := s.Authenticate(r)
	if err != nil {
		s.Log.Info("unauthenticated", "correlationId", id)
		return unauthenticated(id)
	}
	requestID, isStatus := strings.CutPrefix(r.URL.Path, "/checkout/")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/checkout":
		return s.create(w, r, caller, id)
	case r.Method == http.MethodGet && isStatus:
		return s.status(r.Context(), caller, requestID, id)
	}
	return s.NotFound("", id)
}

// guard keeps a panic of f from ending the process. The panic's value may hold
// anything, so only the stack is logged.
func (s *Service) guard(id string, f func()) {
	defer func() {
		if recover() != nil {
			s.Log.Error("panic", "correlationId", id, "stack", string(debug.Stack()))
		}
	}()
	f()
}

func write(w http.ResponseWriter, a Answer) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a caller who left asks again; the record knows
}

// create handles POST /checkout up to the point where a record exists. What it
// refuses consumes no key.
func (s *Service) create(w http.ResponseWriter, r *http.Request, caller auth.Principal, id string) Answer {
	ctx, cancel := s.detach(r.Context())
	defer cancel()
	key, err := s.ReadKey(r.Header)
	if err != nil {
		return invalid(err, id)
	}
	body, err := readBody(w, r)
	if err != nil {
		return invalid(errors.New("the body is incomplete, too slow or longer than 1 MiB"), id)
	}
	order, err := decodeOrder(body)
	if err != nil {
		return invalid(err, id)
	}
	return s.submit(ctx, caller, key, order, id)
}

// readBody limits the reading of the body alone. A read deadline that stayed in
// force would look like a disconnect in the middle of the work.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTimeout)) // where there is none to set, there is no connection to wait for
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = connection.SetReadDeadline(time.Time{})
	return body, err
}
