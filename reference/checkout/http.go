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
	if answer.Status == 0 { // which net/http refuses to write
		s.Log.Error("no answer", "correlationId", id)
		answer = unavailable("", id)
	}
	s.Write(w, r, answer)
}

// route compares paths literally: a router that redirects to cleaned paths would
// answer for ids nobody asked it about.
func (s *Service) route(w http.ResponseWriter, r *http.Request, id string) Answer {
	if r.Method == http.MethodGet && r.URL.Path == pathOpenAPI {
		return documented()
	}
	if r.Method == http.MethodPost && r.URL.Path == pathWebhook && s.Webhooks != nil {
		return s.notified(w, r, id)
	}
	caller, err := s.Authenticate(r)
	if err != nil {
		s.Log.Info("unauthenticated", "correlationId", id)
		return unauthenticated(id)
	}
	requestID, isOne := strings.CutPrefix(r.URL.Path, "/checkout/")
	sold, isCancel := strings.CutSuffix(requestID, "/cancel")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/checkout":
		return s.create(w, r, caller, versionOne, id)
	case r.Method == http.MethodPost && r.URL.Path == "/v2/checkout":
		return s.create(w, r, caller, versionTwo, id)
	case r.Method == http.MethodPost && isOne && isCancel:
		return s.cancel(w, r, caller, sold, id)
	case r.Method == http.MethodGet && isOne:
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

// Write is the default [Config.Write]. What an answer says is for its caller only,
// and not for long: no cache may keep it.
func Write(w http.ResponseWriter, _ *http.Request, a Answer) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a caller who left asks again; the record knows
}

// create handles POST of a checkout up to the point where a record exists. What it
// refuses consumes no key.
func (s *Service) create(w http.ResponseWriter, r *http.Request, caller auth.Principal, version, id string) Answer {
	ctx, cancel := s.detach(r.Context())
	defer cancel()
	key, body, err := s.readKeyed(w, r)
	if err != nil {
		return invalid(err, id)
	}
	order, err := s.Decode(body)
	if err != nil {
		return invalid(err, id)
	}
	asked := Request{Order: order, Header: r.Header, Body: body}
	return s.submit(ctx, caller, key, Record{Version: version, Order: order, Fingerprint: s.Fingerprint(asked)}, id)
}

// readKeyed reads what keyed requests have in common. A query is refused: it
// would be a part of the request in which two of them could differ unnoticed.
func (s *Service) readKeyed(w http.ResponseWriter, r *http.Request) (key string, body []byte, err error) {
	if key, err = s.keyOf(r.Header); err != nil {
		return "", nil, err
	}
	if r.URL.RawQuery != "" {
		return "", nil, errors.New("a query is not known here")
	}
	if body, err = readBody(w, r); err != nil {
		return "", nil, errors.New("the body is incomplete, too slow or longer than 1 MiB")
	}
	return key, body, nil
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
