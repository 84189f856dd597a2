package toxiproxy

import (
	"context"
	"fmt"
	"sync"
)

// injection is one toxic on one lane.
type injection struct {
	injector *Injector
	lane     *lane
	toxic    toxic
	name     string // of the toxic

	firedC   chan struct{}
	liftedC  chan struct{} // closed once the toxic is gone
	settledC chan struct{} // closed once, after that, no connection may still count

	mu      sync.Mutex
	fired   int
	lifted  bool
	inHand  int // connections whose first answer is on its way into the toxic
	removal *removal
}

// removal is one attempt to take the toxic away, which may outlive its caller.
type removal struct {
	done chan struct{}
	err  error // readable once done is closed
}

// Fired returns the number of connections that the toxic acted on.
func (j *injection) Fired() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fired
}

// FiredC is closed when the toxic acts first.
func (j *injection) FiredC() <-chan struct{} { return j.firedC }

// Via returns the host:port at which the fault is met.
func (j *injection) Via() string { return j.lane.via }

// begin says that an answer is about to enter the toxic, and returns false if
// there is no toxic any more. Each true is followed by one end.
func (j *injection) begin() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.lifted {
		j.inHand++
	}
	return !j.lifted
}

// end says whether the toxic acted.
func (j *injection) end(acted bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if acted {
		if j.fired++; j.fired == 1 {
			close(j.firedC)
		}
	}
	if j.inHand--; j.lifted && j.inHand == 0 {
		close(j.settledC)
	}
}

// settle ends the counting once the toxic is gone. A caller that saw the fault
// and lifts it at once must not find a count that is a moment behind.
func (j *injection) settle() {
	j.mu.Lock()
	j.lifted = true
	close(j.liftedC)
	if j.inHand == 0 {
		close(j.settledC)
	}
	j.mu.Unlock()
	<-j.settledC
}

// Lift removes the toxic; delayed bytes go on at once. It is idempotent, and a
// Lift that failed may be repeated. If ctx ends first, the removal goes on.
func (j *injection) Lift(ctx context.Context) error {
	r := j.remove()
	select {
	case <-r.done:
	case <-ctx.Done():
		return fmt.Errorf("toxiproxy: remove toxic %s from proxy %s: %w (a reset that began to wait cannot be stopped)", j.name, j.lane.name, ctx.Err())
	}
	if r.err != nil {
		return fmt.Errorf("toxiproxy: remove toxic %s from proxy %s: %w", j.name, j.lane.name, r.err)
	}
	return nil
}

// remove starts the removal, or returns the one that runs or succeeded.
func (j *injection) remove() *removal {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.removal; r != nil {
		select {
		case <-r.done:
			if r.err == nil {
				return r
			}
		default:
			return r
		}
	}
	r := &removal{done: make(chan struct{})}
	j.removal = r
	go func() {
		defer close(r.done)
		if r.err = j.injector.server.remove(j.lane.name, j.name); r.err != nil {
			return
		}
		j.settle()
		j.injector.mu.Lock()
		defer j.injector.mu.Unlock()
		j.lane.current = nil
		j.lane.release()
	}()
	return r
}
