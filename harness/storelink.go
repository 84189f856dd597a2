package harness

import (
	"context"
	"fmt"
	"time"
)

// StoreLink is the link between the target and its store.
type StoreLink interface {
	// Disturb puts it into another state and returns once it is known to be in it.
	// Where somebody can see to it, it is open again if we die, or after the lease.
	Disturb(ctx context.Context, d StoreDisturbance, lease time.Duration) (seen string, err error)
	// Restore opens it.
	Restore(ctx context.Context) (seen string, err error)
}

// StoreDisturbance is what is wrong with the link to the store.
type StoreDisturbance struct {
	Mode   StoreMode
	Delay  time.Duration // of a slow one
	Writes int           // of one that loses: how many answers, 0 is all
}

// StoreMode is a way in which the link to the store is disturbed.
type StoreMode string

// The modes. The zero value is none of them.
const (
	StoreCut   StoreMode = "cut"   // nothing passes, and the target learns it at once
	StoreStall StoreMode = "stall" // nothing passes, and the target learns nothing
	StoreSlow  StoreMode = "slow"  // everything passes, after a delay
	StoreLost  StoreMode = "lost"  // a reservation is kept, and its answer lost: the target sees an error
)

// String returns "cut", "slow(20s)" or "lost(1)".
func (d StoreDisturbance) String() string {
	switch {
	case d.Mode == StoreSlow:
		return fmt.Sprintf("%s(%s)", d.Mode, d.Delay)
	case d.Mode == StoreLost && d.Writes > 0:
		return fmt.Sprintf("%s(%d)", d.Mode, d.Writes)
	}
	return string(d.Mode)
}

// MarkStore says what the link to the store was seen to be.
const MarkStore = "store-link"

const changeStore = "with its store link disturbed"

// DisturbStore disturbs the link between the target and its store, until
// [Session.RestoreStore], at the latest until the scenario ends.
func (s *Session) DisturbStore(ctx context.Context, d StoreDisturbance) error {
	doing := fmt.Sprintf("disturb the link to the store: %s", d)
	link := s.target.Control.Store
	if link == nil {
		return s.notOffered(doing, "links.store")
	}
	if err := s.exclusively(doing); err != nil {
		return err
	}
	if s.held(changeStore) == nil {
		s.hold(&change{name: changeStore, back: func(ctx context.Context) error {
			return s.act(ctx, "open the link to the store", MarkStore, link.Restore)
		}})
	}
	return s.act(ctx, doing, MarkStore, func(ctx context.Context) (string, error) { return link.Disturb(ctx, d, keptFor) })
}

// RestoreStore opens the link that the session disturbed.
func (s *Session) RestoreStore(ctx context.Context) error {
	return s.end(ctx, changeStore, "open the link to the store")
}

// storeTry slows the link by too little to be noticed by anybody who does not
// look: what is tried is whether it can be disturbed at all.
func storeTry() StoreDisturbance { return StoreDisturbance{Mode: StoreSlow, Delay: time.Millisecond} }

// CapStoreLoss lets the link to the store lose the answer of a reservation, and
// nothing else. A proxy that sees bytes cannot do that.
const CapStoreLoss Capability = "store-loss"

// storeClaims are those about the link to the store.
func (s *Session) storeClaims(wanted func(Capability) bool) []claim {
	var claims []claim
	for _, try := range []struct {
		capability Capability
		d          StoreDisturbance
	}{{CapStoreLink, storeTry()}, {CapStoreLoss, StoreDisturbance{Mode: StoreLost, Writes: 1}}} {
		if wanted(try.capability) {
			claims = append(claims, claim{string(try.capability), "links.store", func(ctx context.Context, _ *Case) (string, error) {
				return s.thereAndBack(ctx, func(ctx context.Context) error { return s.DisturbStore(ctx, try.d) }, s.RestoreStore)
			}})
		}
	}
	return claims
}
