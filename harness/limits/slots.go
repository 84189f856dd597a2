package limits

import (
	"context"
	"slices"
	"sync"
)

// slots counts what is in flight. Nobody ever holds a part of what he waits for,
// so those who wait cannot lock each other out. They are served in the order in
// which they came, a crowd among them, except that the urgent go first: somebody
// in flight waits for them.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter
}

type waiter struct {
	n      int
	urgent bool
	served chan struct{} // closed once it holds n
}

// acquire takes n slots. A nil receiver has room for everybody.
func (s *slots) acquire(ctx context.Context, n int, urgent bool) error {
	if s == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	w := &waiter{n: n, urgent: urgent, served: make(chan struct{})}
	s.mu.Lock()
	at := len(s.waiting)
	if urgent {
		if i := slices.IndexFunc(s.waiting, func(o *waiter) bool { return !o.urgent }); i >= 0 {
			at = i
		}
	}
	s.waiting = slices.Insert(s.waiting, at, w)
	s.serve()
	s.mu.Unlock()
	select {
	case <-w.served:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else {
		s.free += n // it was served while its caller left
	}
	s.serve()
	return context.Cause(ctx)
}

func (s *slots) release(n int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += n
	s.serve()
}

// serve gives slots to the first in line for as long as they fit. The caller
// holds the mutex.
func (s *slots) serve() {
	for len(s.waiting) > 0 && s.waiting[0].n <= s.free {
		w := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.free -= w.n
		close(w.served)
	}
}
