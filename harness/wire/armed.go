package wire

import (
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// armed is something that waits on a link for an exchange of one case: a fault,
// or a route to another upstream.
type armed struct {
	caseID    string
	operation string // empty means any
	exchange  int    // 1-based, 0 means every
	text      string // for Call.Fault
	fault     harness.Fault
	origin    origin // of a route; nil for a fault

	mu     sync.Mutex
	fired  int
	firedC chan struct{} // closed when it acts first
	lifted chan struct{} // closed when it is lifted
}

func newArmed(caseID, operation string, exchange int, text string) *armed {
	return &armed{caseID: caseID, operation: operation, exchange: exchange, text: text,
		firedC: make(chan struct{}), lifted: make(chan struct{})}
}

func (a *armed) matches(caseID, operation string, index, anyIndex int) bool {
	if a.operation == "" {
		index = anyIndex
	} else if a.operation != operation {
		return false
	}
	return a.caseID == caseID && (a.exchange == 0 || a.exchange == index)
}

func (a *armed) fire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fired++
	if a.fired == 1 {
		close(a.firedC)
	}
}

// Fired returns how often it acted so far.
func (a *armed) Fired() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fired
}

// FiredC is closed when it acts first.
func (a *armed) FiredC() <-chan struct{} { return a.firedC }

// release lets go what it holds. It is idempotent.
func (a *armed) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.lifted:
	default:
		close(a.lifted)
	}
}

// arm adds a to what the link's exchanges are matched against, after what was
// armed before.
func (l *Link) arm(a *armed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = append(l.armed, a)
}

// disarm removes a and lets go what it holds.
func (l *Link) disarm(a *armed) {
	l.mu.Lock()
	for i, other := range l.armed {
		if other == a {
			l.armed = append(l.armed[:i:i], l.armed[i+1:]...)
			break
		}
	}
	l.mu.Unlock()
	a.release()
}

// match returns what was armed first among all that wait for this exchange, or
// nil.
func (l *Link) match(caseID, operation string, index, anyIndex int) *armed {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.armed {
		if a.matches(caseID, operation, index, anyIndex) {
			return a
		}
	}
	return nil
}
