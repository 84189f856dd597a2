package stack

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// How the link between an instance and its store can be.
const (
	linkOpen  = "open"
	linkCut   = "cut"   // nothing passes, and that is known at once
	linkStall = "stall" // nothing passes, and nobody says so
	linkSlow  = "slow"  // everything passes, after a delay
	linkLost  = "lost"  // a reservation is kept, and its answer lost
)

// maxDelay bounds a slow link: what is slower stalls.
const maxDelay = time.Minute

// StoreLink is a state of the link between the instances and their store.
type StoreLink struct {
	Mode    string `json:"mode"`
	DelayMs int64  `json:"delayMs,omitempty"` // of a slow one
	Writes  int64  `json:"writes,omitempty"`  // of one that loses: how many answers of each instance, 0 is all
}

func (l StoreLink) check() error {
	longest := maxDelay.Milliseconds()
	if l.Writes < 0 || l.Writes > 0 && l.Mode != linkLost {
		return fmt.Errorf("store: writes goes with mode %s only, and counts from 1", linkLost)
	}
	switch l.Mode {
	case linkOpen, linkCut, linkStall, linkLost:
		if l.DelayMs != 0 {
			return fmt.Errorf("store: delayMs goes with mode %s only", linkSlow)
		}
		return nil
	case linkSlow:
		if l.DelayMs < 1 || l.DelayMs > longest {
			return fmt.Errorf("store: delayMs is %d, it has to be 1 to %d", l.DelayMs, longest)
		}
		return nil
	}
	return fmt.Errorf("store: mode %q is none of %s, %s, %s, %s, %s", l.Mode, linkOpen, linkCut, linkStall, linkSlow, linkLost)
}

var (
	errCut  = errors.New("the link to the store is cut")
	errLost = errors.New("the link to the store broke off before the answer came")
)

// storeLink stands in the way of every use of the store: SQLite is in our own
// process, where nothing else could come between.
type storeLink struct{ state atomic.Pointer[linkState] }

type linkState struct {
	StoreLink
	over chan struct{} // closed when another state holds
	lost atomic.Int64  // answers so far
}

func newStoreLink() *storeLink {
	l := &storeLink{}
	l.state.Store(&linkState{StoreLink: StoreLink{Mode: linkOpen}, over: make(chan struct{})})
	return l
}

// set changes the state. What waits in the old one goes on in the new one.
func (l *storeLink) set(to StoreLink) {
	if to == l.state.Load().StoreLink {
		return
	}
	close(l.state.Swap(&linkState{StoreLink: to, over: make(chan struct{})}).over)
}

// pass returns when the store may be used, or why it cannot be.
func (l *storeLink) pass(ctx context.Context) error {
	for {
		var waited <-chan time.Time // never, of a link that stalls
		s := l.state.Load()
		switch s.Mode {
		case linkOpen, linkLost:
			return nil
		case linkCut:
			return errCut
		case linkSlow:
			timer := time.NewTimer(time.Duration(s.DelayMs) * time.Millisecond)
			defer timer.Stop()
			waited = timer.C
		}
		select {
		case <-waited:
			return nil
		case <-s.over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// loses reports whether the answer of a reservation that was just carried out is
// lost on its way.
func (l *storeLink) loses() bool {
	s := l.state.Load()
	return s.Mode == linkLost && (s.lost.Add(1) <= s.Writes || s.Writes == 0)
}

// linkedResults is the gateway's store behind the link.
type linkedResults struct {
	link *storeLink
	gateway.Store
}

func (r linkedResults) Keep(ctx context.Context, e gateway.Entry, oldest time.Time) error {
	if err := r.link.pass(ctx); err != nil {
		return err
	}
	return r.Store.Keep(ctx, e, oldest)
}

func (r linkedResults) Find(ctx context.Context, resource gateway.Resource) (gateway.Entry, error) {
	if err := r.link.pass(ctx); err != nil {
		return gateway.Entry{}, err
	}
	return r.Store.Find(ctx, resource)
}

// linkedCheckouts is the checkout's store behind the link.
type linkedCheckouts struct {
	link *storeLink
	checkout.Store
}

func (c linkedCheckouts) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	if err := c.link.pass(ctx); err != nil {
		return checkout.Record{}, false, err
	}
	stored, created, err := c.Store.Reserve(ctx, r)
	if err == nil && stored.RequestID == r.RequestID && c.link.loses() {
		return checkout.Record{}, false, errLost
	}
	return stored, created, err
}

func (c linkedCheckouts) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	if err := c.link.pass(ctx); err != nil {
		return checkout.Record{}, err
	}
	return c.Store.Load(ctx, requestID)
}

func (c linkedCheckouts) Cancellation(ctx context.Context, requestID string) (checkout.Record, error) {
	if err := c.link.pass(ctx); err != nil {
		return checkout.Record{}, err
	}
	return c.Store.Cancellation(ctx, requestID)
}

func (c linkedCheckouts) Claim(ctx context.Context, requestID string, now, until time.Time) (checkout.Record, error) {
	if err := c.link.pass(ctx); err != nil {
		return checkout.Record{}, err
	}
	return c.Store.Claim(ctx, requestID, now, until)
}

func (c linkedCheckouts) Wake(ctx context.Context, paymentKey string, now time.Time) (checkout.Record, error) {
	if err := c.link.pass(ctx); err != nil {
		return checkout.Record{}, err
	}
	return c.Store.Wake(ctx, paymentKey, now)
}

func (c linkedCheckouts) Extend(ctx context.Context, requestID string, fence int64, until time.Time) error {
	if err := c.link.pass(ctx); err != nil {
		return err
	}
	return c.Store.Extend(ctx, requestID, fence, until)
}

func (c linkedCheckouts) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	if err := c.link.pass(ctx); err != nil {
		return err
	}
	return c.Store.Save(ctx, r, attempts...)
}

func (c linkedCheckouts) Attempts(ctx context.Context, requestID string) ([]checkout.Attempt, error) {
	if err := c.link.pass(ctx); err != nil {
		return nil, err
	}
	return c.Store.Attempts(ctx, requestID)
}

func (c linkedCheckouts) Purge(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := c.link.pass(ctx); err != nil {
		return 0, err
	}
	return c.Store.Purge(ctx, now, limit)
}

func (c linkedCheckouts) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	if err := c.link.pass(ctx); err != nil {
		return nil, err
	}
	return c.Store.Due(ctx, now, limit)
}
