package gateway_test

import (
	"io"
	"net/http"
	"slices"
	"sync"
)

// seen is one request that reached the dependency.
type seen struct {
	method, target, body string
	header               http.Header
}

// script is a dependency that does what it is told, one step a request and the
// last step for ever.
type script struct {
	mu    sync.Mutex
	steps []http.HandlerFunc
	calls []seen
	ends  []chan struct{}
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a request that broke off has the body that came
	s.mu.Lock()
	s.calls = append(s.calls, seen{r.Method, r.URL.RequestURI(), string(body), r.Header.Clone()})
	step := s.steps[0]
	if len(s.steps) > 1 {
		s.steps = s.steps[1:]
	}
	s.mu.Unlock()
	step(w, r)
}

// then replaces what is left of the script.
func (s *script) then(steps ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = steps
}

// requests returns those that came so far.
func (s *script) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// forget empties the list of requests.
func (s *script) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}

// release ends what is silent.
func (s *script) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.ends {
		close(end)
	}
	s.ends = nil
}

// silent answers nothing, until the caller leaves.
func (s *script) silent() http.HandlerFunc {
	end := make(chan struct{})
	s.mu.Lock()
	s.ends = append(s.ends, end)
	s.mu.Unlock()
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-end:
		}
	}
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func resets(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
