package mutants

import (
	"context"
	"crypto/rand"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// reservation is what [checkout.Store.Reserve] does.
type reservation func(context.Context, checkout.Record) (checkout.Record, bool, error)

// reserving is a store with another way to reserve.
type reserving struct {
	checkout.Store
	reserve reservation
}

func (s reserving) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	return s.reserve(ctx, r)
}

// wrapReserve replaces the store's Reserve by what broken makes of the right one.
func wrapReserve(broken func(right reservation) reservation) func(*checkout.Config) {
	return func(c *checkout.Config) {
		c.Store = reserving{c.Store, broken(c.Store.Reserve)}
	}
}

// elsewhere is r under a key that nobody used, which makes it a new checkout.
func elsewhere(r checkout.Record) checkout.Record {
	r.Scope.Key += " " + rand.Text()
	return r
}
