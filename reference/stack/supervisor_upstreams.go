package stack

import (
	"context"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/fakes/provider"
)

// The upstreams of the reference. All but the ledger are its dependencies.
const (
	payment   = "payment"
	bank      = "bank"
	inventory = "inventory"
	orders    = "orders"
	catalog   = "catalog"
	ledger    = "ledger"
)

// dependencyNames returns what the reference calls, in order.
func dependencyNames() []string { return []string{payment, bank, inventory, orders, catalog} }

// upstreams are the fakes that the reference calls when nothing is attached.
type upstreams struct {
	world   *provider.Provider
	urls    map[string]string
	servers []*server
}

func startUpstreams(ctx context.Context, logger *log.Logger) (*upstreams, error) {
	world := provider.New()
	u := &upstreams{world: world, urls: map[string]string{}}
	for name, handler := range map[string]http.Handler{
		payment: world.Payment(), bank: world.Bank(), inventory: world.Inventory(), orders: world.Orders(), catalog: world.Catalog(), ledger: world.LedgerHandler(),
	} {
		l, err := listenLoopback(name)
		if err != nil {
			u.close()
			return nil, err
		}
		s := serveOn(ctx, l, handler, logger)
		u.servers = append(u.servers, s)
		u.urls[name] = s.url
	}
	return u, nil
}

// dependencies returns the base URLs of what the reference calls.
func (u *upstreams) dependencies() map[string]string {
	urls := maps.Clone(u.urls)
	delete(urls, ledger)
	return urls
}

func (u *upstreams) close() {
	for _, s := range u.servers {
		s.close()
	}
}

func listenLoopback(purpose string) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on 127.0.0.1 for %s: %w", purpose, err)
	}
	return l, nil
}

// server is an HTTP server on loopback.
type server struct {
	url   string
	http  *http.Server
	ended chan struct{}
}

// serveOn serves h on l until close. Requests end with ctx.
func serveOn(ctx context.Context, l net.Listener, h http.Handler, logger *log.Logger) *server {
	s := &server{url: "http://" + l.Addr().String(), ended: make(chan struct{}), http: &http.Server{
		Handler: h, ErrorLog: logger, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}}
	go func() {
		defer close(s.ended)
		_ = s.http.Serve(l) // always ErrServerClosed after close
	}()
	return s
}

func (s *server) close() {
	_ = s.http.Close()
	<-s.ended
}
