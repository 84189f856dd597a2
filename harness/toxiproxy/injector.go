package toxiproxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/oncecheck/oncecheck/harness"
)

// Injector carries out faults at the cut "tcp". It is safe for concurrent use.
type Injector struct {
	server server
	prefix string            // of our names, so that runs can share a server
	links  map[string]string // link name -> host:port

	mu     sync.Mutex
	lanes  []*lane
	idle   map[string][]*lane // by link
	toxics int
	closed bool
}

// Embedded returns an Injector with a toxiproxy in this process. links maps the
// name of a link to the host:port that its callers would dial otherwise.
func Embedded(links map[string]string) (*Injector, error) {
	return newInjector(newEmbedded(), links)
}

// External returns an Injector that uses the toxiproxy whose API is at apiURL.
// It must run on this machine, since our relay listens on loopback only. It
// fails if nothing answers there.
func External(ctx context.Context, apiURL string, links map[string]string) (*Injector, error) {
	u, err := url.Parse(apiURL)
	if err != nil {
		return nil, fmt.Errorf("toxiproxy at %q: %w", apiURL, err)
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("toxiproxy at %q: it has to run on this machine and be addressed by loopback, since what it forwards to listens there only", apiURL)
	}
	api := toxiclient.NewClient(strings.TrimSuffix(apiURL, "/"))
	if err := within(ctx, func() error { _, err := api.Version(); return err }); err != nil {
		return nil, fmt.Errorf("ask toxiproxy at %s for its version: %w (is it running?)", apiURL, err)
	}
	return newInjector(external{api}, links)
}

func newInjector(s server, links map[string]string) (*Injector, error) {
	for name, addr := range links {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return nil, fmt.Errorf("toxiproxy link %s: upstream %q is no host:port: %w", name, addr, err)
		}
	}
	return &Injector{server: s, prefix: "oncecheck-" + strings.ToLower(rand.Text()[:8]), links: links, idle: map[string][]*lane{}}, nil
}

// Name implements [harness.Injector].
func (i *Injector) Name() string { return "toxiproxy" }

// Accepts implements [harness.Injector].
func (i *Injector) Accepts(f harness.Fault) bool {
	_, known := i.links[f.Link]
	return known && f.Cut.Point == harness.CutTCP && (f.Action.Name == harness.ActLatency || f.Action.Name == harness.ActReset)
}

// Inject implements [harness.Injector]. Whoever dials the injection's Via
// belongs to the case.
func (i *Injector) Inject(ctx context.Context, f harness.Fault, caseID string) (harness.Injection, error) {
	if !i.Accepts(f) {
		return nil, fmt.Errorf("toxiproxy: %s is for another injector or an unknown link", f)
	}
	t, err := toxicOf(f)
	if err != nil {
		return nil, fmt.Errorf("toxiproxy: %s: %w", f, err)
	}
	l, err := i.takeLane(ctx, f.Link)
	if err != nil {
		return nil, fmt.Errorf("toxiproxy: %s for case %s: open a proxy to %s: %w", f, caseID, i.links[f.Link], err)
	}
	j := &injection{injector: i, lane: l, toxic: t, firedC: make(chan struct{}), liftedC: make(chan struct{}), settledC: make(chan struct{})}
	i.mu.Lock()
	i.toxics++
	j.name = fmt.Sprintf("%s-%d", i.prefix, i.toxics)
	l.current = j
	i.mu.Unlock()
	if err := within(ctx, func() error { return i.server.add(l.name, j.name, t) }); err != nil {
		// The lane is not used again: whether the toxic is on it is unknown.
		return nil, fmt.Errorf("toxiproxy: add %s to proxy %s: %w", f, l.name, err)
	}
	return j, nil
}

// Close ends all connections and removes our proxies. It waits for its own
// goroutines, not for a reset inside toxiproxy that still waits.
func (i *Injector) Close() error {
	i.mu.Lock()
	if i.closed {
		i.mu.Unlock()
		return nil
	}
	i.closed = true
	lanes := i.lanes
	i.mu.Unlock()
	var names []string
	for _, l := range lanes {
		names = append(names, l.name)
	}
	err := i.server.close(names)
	for _, l := range lanes {
		l.close()
	}
	if err != nil {
		return fmt.Errorf("close toxiproxy: %w", err)
	}
	return nil
}

var errClosed = errors.New("the injector is closed")

// within runs f, which knows no context, and gives up waiting when ctx ends.
func within(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
