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
	"testing"

	"go.uber.org/goleak"
)

// The roles that the test binary plays when a test runs it again.
const (
	roleStandIn    = "child-stand-in" // serves what a test needs to look into an instance
	roleReal       = "child-real"     // the reference itself
	roleBroken     = "child-broken"   // dies before it is ready
	roleSilent     = "child-silent"   // never becomes ready
	roleStranger   = "child-stranger" // is no instance at all
	roleSupervisor = "supervisor"     // a whole stack, to be killed
	rolePids       = "pids"           // prints the processes that a control API names
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := roles()[os.Args[1]]; ok {
			if err := role(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	// Else every child built with -race would sleep a second at its end.
	_ = os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

func roles() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		roleStandIn: func(ctx context.Context) error { return runChild(ctx, os.Stdin, os.Stdout, standIn) },
		roleReal:    func(ctx context.Context) error { return RunChild(ctx, os.Stdin, os.Stdout) },
		roleBroken: func(context.Context) error {
			for line := range 20 {
				fmt.Fprintf(os.Stderr, "line %d\n", line)
			}
			return errors.New("the store is on fire")
		},
		roleSilent: func(ctx context.Context) error {
			return runChild(ctx, os.Stdin, os.Stdout, func(ctx context.Context, _ InstanceConfig, _ func(string, string)) error {
				fmt.Fprintln(os.Stderr, "running, but never ready")
				<-ctx.Done()
				return nil
			})
		},
		roleStranger: func(context.Context) error {
			fmt.Println("usage: something else")
			return nil
		},
		rolePids: func(ctx context.Context) error { return printPids(ctx, os.Args[2]) },
		roleSupervisor: func(ctx context.Context) error {
			return Serve(ctx, Options{Command: command(roleStandIn)}, func(i Info) { fmt.Printf("%s\n%s\n", i.URL, i.ControlURL) })
		},
	}
}

// command is the argv that plays the role.
func command(role string) []string { return []string{os.Args[0], role} }

// standInState is what the stand-in tells of itself.
type standInState struct {
	PID        int
	Store      string
	Configured map[string]string // dependencies in its configuration
	Pushed     map[string]string // dependencies that it was told last
	Pushes     int
	Settings   Settings // in its configuration
	Told       Settings // that it was told last
}

// standIn is an instance without a checkout: GET / tells its state, POST /die
// ends it with a status, POST /refuse makes it refuse addresses from then on.
func standIn(ctx context.Context, cfg InstanceConfig, ready func(addr, adminAddr string)) error {
	var mu sync.Mutex
	refuse := false
	state := standInState{PID: os.Getpid(), Store: cfg.Store, Configured: cfg.Dependencies, Settings: cfg.Settings, Told: cfg.Settings}
	public := http.NewServeMux()
	public.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		writeJSON(w, http.StatusOK, state)
	})
	public.HandleFunc("POST /die", func(http.ResponseWriter, *http.Request) { os.Exit(7) })
	public.HandleFunc("POST /refuse", func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		refuse = true
	})
	admin := http.NewServeMux()
	admin.HandleFunc("PUT /dependencies", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if refuse {
			http.Error(w, "not today", http.StatusInternalServerError)
			return
		}
		state.Pushes++
		state.Pushed = nil
		_ = json.NewDecoder(r.Body).Decode(&state.Pushed)
	})
	admin.HandleFunc("PUT "+pathSettings, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if refuse {
			http.Error(w, "not today", http.StatusInternalServerError)
			return
		}
		state.Told = Settings{}
		_ = json.NewDecoder(r.Body).Decode(&state.Told)
	})
	admin.HandleFunc("GET "+pathSettings, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		writeJSON(w, http.StatusOK, settingsState{Settings: state.Told})
	})
	socket, err := net.FileListener(os.NewFile(uintptr(cfg.ListenFD), "public"))
	if err != nil {
		return err
	}
	adminSocket, err := listenLoopback("admin")
	if err != nil {
		return err
	}
	for l, h := range map[net.Listener]http.Handler{socket: public, adminSocket: admin} {
		s := &http.Server{Handler: h}
		go func() { _ = s.Serve(l) }()
		defer func() { _ = s.Close() }()
	}
	ready(socket.Addr().String(), adminSocket.Addr().String())
	<-ctx.Done()
	return nil
}

// printPids is the role that stands in for docker ps and the like.
func printPids(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/info", nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var state infoState
	if err := json.NewDecoder(resp.Body).Decode(&state); err != nil {
		return err
	}
	for _, in := range state.Instances {
		if in.PID != 0 {
			fmt.Println(in.PID)
		}
	}
	return nil
}
