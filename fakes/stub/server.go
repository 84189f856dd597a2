package stub

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Server holds mappings, scenario states and the request journal in memory. It
// is safe for concurrent use.
type Server struct {
	mu       sync.Mutex
	mappings []*mapping // oldest first
	states   map[string]string
	journal  []received
}

// New returns a Server without mappings: it answers 404 to everything.
func New() *Server { return &Server{states: map[string]string{}} }

// maxBody limits a request, since all of them stay in the journal.
const maxBody = 1 << 20

// started is the state of a scenario that nothing has moved yet.
const started = "Started"

// Handler serves the admin API under /__admin/ and the stubs everywhere else.
func (s *Server) Handler() http.Handler {
	admin := s.admin()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/__admin/") {
			admin.ServeHTTP(w, r)
			return
		}
		body, ok := readBody(w, r)
		if !ok {
			return
		}
		m := s.take(receive(r, body))
		if m == nil {
			http.Error(w, "no stub matches "+r.Method+" "+r.URL.Path, http.StatusNotFound)
			return
		}
		m.response.write(r.Context(), w)
	})
}

// readBody reads the body, or answers why it could not.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return body, true
	}
	status := http.StatusBadRequest
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	http.Error(w, "the stub server could not read the request: "+err.Error(), status)
	return nil, false
}

// take finds the mapping for a request, advances its scenario and journals the
// request, in one step.
func (s *Server) take(r received) *mapping {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *mapping
	for _, m := range slices.Backward(s.mappings) { // newest first
		if (best == nil || m.priority < best.priority) && s.ready(m) && m.request.matches(r) {
			best = m
		}
	}
	if best != nil && best.next != "" {
		s.states[best.scenario] = best.next
	}
	r.stub = best
	s.journal = append(s.journal, r)
	return best
}

func (s *Server) ready(m *mapping) bool {
	return m.required == "" || m.required == s.state(m.scenario)
}

func (s *Server) state(scenario string) string {
	if state := s.states[scenario]; state != "" {
		return state
	}
	return started
}

// add registers a mapping as the newest; one with the same id gives way.
func (s *Server) add(m *mapping) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mappings = slices.DeleteFunc(s.mappings, func(old *mapping) bool { return old.id == m.id })
	s.mappings = append(s.mappings, m)
}

// remove deletes a mapping, and the state of a scenario that nobody is part of
// any more.
func (s *Server) remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.mappings, func(m *mapping) bool { return m.id == id })
	if i < 0 {
		return false
	}
	scenario := s.mappings[i].scenario
	s.mappings = slices.Delete(s.mappings, i, i+1)
	if !slices.ContainsFunc(s.mappings, func(m *mapping) bool { return m.scenario == scenario }) {
		delete(s.states, scenario)
	}
	return true
}

// reset forgets what the flags name.
func (s *Server) reset(mappings, journal, scenarios bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mappings {
		s.mappings = nil
	}
	if journal {
		s.journal = nil
	}
	if scenarios {
		clear(s.states)
	}
}

// find returns the journaled requests that keep accepts, oldest first.
func (s *Server) find(keep func(received) bool) []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []received{}
	for _, r := range s.journal {
		if keep(r) {
			found = append(found, r)
		}
	}
	return found
}

// forget removes and returns the journaled requests that gone accepts.
func (s *Server) forget(gone func(received) bool) []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	removed := []received{}
	s.journal = slices.DeleteFunc(s.journal, func(r received) bool {
		if gone(r) {
			removed = append(removed, r)
			return true
		}
		return false
	})
	return removed
}
