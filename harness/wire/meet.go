package wire

import (
	"sync"
	"time"
)

// meeting holds exchanges of one case at the upstream's door until all of them
// are there: connected, and everything sent but the last byte. Callers that a
// barrier released together would otherwise arrive one by one, spread by the
// time that our own connects take, and a race that is won by microseconds would
// never be lost.
type meeting struct {
	mu      sync.Mutex
	missing int
	open    chan struct{}
}

// meetLimit is how long the first waits for the last. Whoever does not come, for
// example since its caller left, must not keep the others for ever.
const meetLimit = 2 * time.Second

// Meet makes the next n exchanges of the case wait for each other right before
// they are sent upstream.
func (l *Link) Meet(caseID string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meetings[caseID] = &meeting{missing: n, open: make(chan struct{})}
}

// meets returns the meeting that an exchange of the case has to attend, or nil.
func (l *Link) meets(f *followed) *meeting {
	if f == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.meetings[f.id]
}

// arrive waits until everybody is there, and ends the meeting.
func (l *Link) arrive(f *followed, m *meeting) {
	m.mu.Lock()
	m.missing--
	complete := m.missing == 0
	m.mu.Unlock()
	if complete {
		l.adjourn(f, m)
		close(m.open)
	}
	timer := time.NewTimer(meetLimit)
	defer timer.Stop()
	select {
	case <-m.open:
	case <-timer.C:
		l.adjourn(f, m) // nobody after us has to wait for those who never came
	case <-l.ctx.Done():
	}
}

func (l *Link) adjourn(f *followed, m *meeting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.meetings[f.id] == m {
		delete(l.meetings, f.id)
	}
}
