package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// grace is how long requests under way may take once the instance has to end,
// first by themselves and then with their work given up.
const grace = time.Second

// serveInstance runs the API, the admin API and reconciliation until ctx ends or
// one of them fails.
func serveInstance(ctx context.Context, cfg InstanceConfig, service *checkout.Service, ready func(addr, adminAddr string)) error {
	public, err := listenInstance(ctx, cfg)
	if err != nil {
		return err
	}
	admin, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(fmt.Errorf("listen for the supervisor: %w", err), public.Close())
	}
	api := &http.Server{Handler: service, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	control := &http.Server{Handler: adminHandler(service), ReadTimeout: 5 * time.Second}

	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	group.Go(func() { service.Run(running) })
	group.Go(func() { stop(api.Serve(public)) })
	group.Go(func() { stop(control.Serve(admin)) })
	ready(public.Addr().String(), admin.Addr().String())

	<-running.Done()
	end(api, service)
	_ = control.Close()
	group.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serve on %s: %w", cfg.Addr, context.Cause(running))
}

// end lets requests finish, then makes them give up, then drops them.
func end(api *http.Server, service *checkout.Service) {
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		err := api.Shutdown(ctx)
		cancel()
		service.Stop()
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

// adminHandler is for the supervisor: GET /healthz answers 204, PUT /dependencies
// takes {"payment": URL, "inventory": URL, "orders": URL} and answers 204 when
// calls that start later go there.
func adminHandler(service *checkout.Service) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("PUT /dependencies", func(w http.ResponseWriter, r *http.Request) {
		var urls map[string]string
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&urls); err != nil {
			http.Error(w, "the body is not a JSON object of base URLs by dependency", http.StatusBadRequest)
			return
		}
		for _, name := range []string{checkout.Payment, checkout.Inventory, checkout.Orders} {
			if urls[name] == "" {
				http.Error(w, "there is no base URL for "+name, http.StatusBadRequest)
				return
			}
		}
		service.Redirect(urls)
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
