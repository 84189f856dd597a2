package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// grace is how long requests under way may take once the instance has to end,
// first by themselves and then with their work given up.
const grace = time.Second

// parts are what an instance is made of.
type parts struct {
	checkout *checkout.Service
	gateway  *gateway.Gateway
	adjustable
	crash   *crasher
	metrics http.Handler
}

// ServeHTTP serves the public API. Paths are compared literally: a router that
// redirects to cleaned paths would answer for things nobody asked about.
func (p parts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.EscapedPath(), gateway.Prefix) {
		p.gateway.ServeHTTP(w, r)
		return
	}
	p.checkout.ServeHTTP(w, r)
}

// serveInstance runs the API, the admin API and reconciliation until ctx ends or
// one of them fails.
func serveInstance(ctx context.Context, cfg InstanceConfig, p parts, ready func(addr, adminAddr string)) error {
	public, err := listenInstance(ctx, cfg)
	if err != nil {
		return err
	}
	admin, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(fmt.Errorf("listen for the supervisor: %w", err), public.Close())
	}
	api := &http.Server{Handler: p.crash.beforeAnswers(p), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	control := &http.Server{Handler: p.adminHandler(), ReadTimeout: 5 * time.Second}

	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	group.Go(func() { p.checkout.Run(running) })
	group.Go(func() { stop(api.Serve(public)) })
	group.Go(func() { stop(control.Serve(admin)) })
	ready(public.Addr().String(), admin.Addr().String())

	<-running.Done()
	end(api, p)
	_ = control.Close()
	group.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serve on %s: %w", cfg.Addr, context.Cause(running))
}

// end lets requests finish, then makes them give up, then drops them.
func end(api *http.Server, p parts) {
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		err := api.Shutdown(ctx)
		cancel()
		p.checkout.Stop()
		p.gateway.Stop()
		if err == nil {
			return
		}
	}
	_ = api.Close()
}

func listenInstance(ctx context.Context, cfg InstanceConfig) (net.Listener, error) {
	if cfg.ListenFD == 0 {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
		if err != nil {
			return nil, fmt.Errorf("listen on %s: %w", cfg.Addr, err)
		}
		return l, nil
	}
	file := os.NewFile(uintptr(cfg.ListenFD), "inherited socket")
	if file == nil {
		return nil, fmt.Errorf("file descriptor %d is not a socket", cfg.ListenFD)
	}
	l, err := net.FileListener(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("listen on the inherited socket %d: %w", cfg.ListenFD, err)
	}
	return l, nil
}
