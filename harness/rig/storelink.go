package rig

import (
	"context"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// sharedStoreLink is a link to a store which a proxy disturbs in all ways but one:
// a proxy does not know which bytes answer a reservation, and only the target can
// lose those.
type sharedStoreLink struct {
	most, loss harness.StoreLink

	mu  sync.Mutex
	now harness.StoreLink // whichever disturbs it, nil for neither
}

// Disturb implements [harness.StoreLink]. One state ends the other, whoever it is of.
func (l *sharedStoreLink) Disturb(ctx context.Context, d harness.StoreDisturbance, lease time.Duration) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.most
	if d.Mode == harness.StoreLost {
		next = l.loss
	}
	if l.now != nil && l.now != next {
		if _, err := l.now.Restore(ctx); err != nil {
			return "", err
		}
	}
	l.now = next
	return next.Disturb(ctx, d, lease)
}

// Restore implements [harness.StoreLink]. A link that nobody disturbed says so.
func (l *sharedStoreLink) Restore(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		return l.most.Restore(ctx)
	}
	seen, err := l.now.Restore(ctx)
	if err == nil {
		l.now = nil
	}
	return seen, err
}
