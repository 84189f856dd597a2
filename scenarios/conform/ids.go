package conform

import "sync"

// ids are the scenarios that were tried, and whether they passed. Subtests side
// by side add to it.
type ids struct {
	mu    sync.Mutex
	tried map[string]bool // id -> passed
}

func newIDs() *ids { return &ids{tried: map[string]bool{}} }

func (s *ids) add(id string) { s.set(id, false) }

func (s *ids) green(id string) { s.set(id, true) }

func (s *ids) set(id string, passed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried[id] = passed
}

func (s *ids) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.tried[id]
	return ok
}

func (s *ids) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tried)
}

func (s *ids) passed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, passed := range s.tried {
		if passed {
			n++
		}
	}
	return n
}
