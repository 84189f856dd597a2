package wiremock

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	askTimeout = 2 * time.Second       // for one look into the journal
	askEvery   = 10 * time.Millisecond // between looks
	catchUp    = time.Second           // how long the journal may lag behind the link
)

// injection is one stub and the route to it.
type injection struct {
	injector *Injector
	routed   Routed
	stubID   string
	paths    string // regular expression of the stub's paths
	firedC   chan struct{}
	liftedC  chan struct{} // closed when lifting begins
	watching sync.WaitGroup

	mu     sync.Mutex
	lifted bool // the mapping is gone, and final holds
	final  int
	begun  sync.Once
}

// Fired returns how many exchanges the stub answered: the smaller of what the
// link sent there and what the server's journal shows.
func (j *injection) Fired() int {
	j.mu.Lock()
	lifted, final := j.lifted, j.final
	j.mu.Unlock()
	if lifted {
		return final
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	return j.count(ctx)
}

func (j *injection) count(ctx context.Context) int {
	sent := j.routed.Fired()
	if sent == 0 {
		return 0
	}
	answered, err := j.injector.client.count(ctx, j.paths)
	if err != nil {
		return 0 // unproven
	}
	return min(sent, answered)
}

// FiredC is closed once the stub answered the first exchange.
func (j *injection) FiredC() <-chan struct{} { return j.firedC }

// Via is empty: the link routes by itself.
func (j *injection) Via() string { return "" }

// watch closes firedC. The journal has no events, so after the link's it asks.
func (j *injection) watch() {
	select {
	case <-j.routed.FiredC():
	case <-j.liftedC:
		return
	}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for j.Fired() == 0 {
		select {
		case <-tick.C:
		case <-j.liftedC:
			return
		}
	}
	close(j.firedC)
}

// Lift removes route and stub. It is idempotent, and may be repeated after an
// error.
func (j *injection) Lift(ctx context.Context) error {
	j.routed.Lift()
	j.begun.Do(func() { close(j.liftedC) })
	j.watching.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lifted {
		return nil
	}
	j.final = max(j.final, j.settle(ctx))
	if err := j.injector.client.remove(ctx, j.stubID); err != nil {
		return fmt.Errorf("wiremock: delete stub %s at %s: %w", j.stubID, j.injector.base, err)
	}
	j.lifted = true
	if j.final > 0 && !j.hasFired() {
		close(j.firedC) // the watch ended before it saw it
	}
	j.injector.mu.Lock()
	delete(j.injector.open, j)
	j.injector.mu.Unlock()
	return nil
}

// settle waits until the journal shows what the link sent, at most catchUp: an
// exchange may have been given up on its way. It returns the final count.
func (j *injection) settle(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, catchUp)
	defer cancel()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for most := 0; ; {
		most = max(most, j.count(ctx))
		if most >= j.routed.Fired() {
			return most
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return most
		}
	}
}

func (j *injection) hasFired() bool {
	select {
	case <-j.firedC:
		return true
	default:
		return false
	}
}
