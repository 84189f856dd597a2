package checkout

import (
	"maps"
	"strings"
	"sync/atomic"
)

// The dependencies, as [Directory] knows them.
const (
	Payment   = "payment"
	Inventory = "inventory"
	Orders    = "orders"
	Bank      = "bank" // moves money, too; takes no keys, and cannot be asked
)

// Directory knows where the dependencies are. It may be changed at any time;
// calls that start later go to the new place.
type Directory struct {
	urls atomic.Pointer[map[string]string]
}

// NewDirectory returns a Directory of base URLs by dependency.
func NewDirectory(urls map[string]string) *Directory {
	d := &Directory{}
	d.Set(urls)
	return d
}

// Set replaces all base URLs.
func (d *Directory) Set(urls map[string]string) {
	copied := maps.Clone(urls)
	d.urls.Store(&copied)
}

// URL returns the base URL of a dependency without a trailing slash.
func (d *Directory) URL(dependency string) string {
	return strings.TrimRight((*d.urls.Load())[dependency], "/")
}
