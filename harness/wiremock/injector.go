package wiremock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/wiremock/go-wiremock"
)

// Config says which server to use and which links it may answer on.
type Config struct {
	URL     string       // base URL of a running WireMock, or
	Handler http.Handler // a server of its admin API, served here on loopback
	Links   []Link
}

// Injector carries out faults at the cut "stub". It is safe for concurrent use.
type Injector struct {
	client client
	base   string // base URL of the server
	links  map[string]Link
	server *http.Server // nil for an external one
	served sync.WaitGroup

	mu     sync.Mutex
	open   map[*injection]bool
	closed bool
}

// New returns an Injector. It fails if the configuration is contradictory, or
// if the server does not answer or keeps no request journal.
func New(ctx context.Context, cfg Config) (*Injector, error) {
	i := &Injector{base: strings.TrimSuffix(cfg.URL, "/"), links: map[string]Link{}, open: map[*injection]bool{}}
	for _, l := range cfg.Links {
		if _, twice := i.links[l.Name]; twice || l.Name == "" || l.Router == nil {
			return nil, fmt.Errorf("wiremock link %q: it needs a name of its own and a router", l.Name)
		}
		i.links[l.Name] = l
	}
	if (cfg.URL == "") == (cfg.Handler == nil) {
		return nil, errors.New("wiremock: give either a URL or a handler")
	}
	if cfg.Handler != nil {
		if err := i.serve(cfg.Handler); err != nil {
			return nil, err
		}
	}
	i.client = client{wiremock.NewClient(i.base)}
	if _, err := i.client.count(ctx, "/stub/none"); err != nil {
		_ = i.Close()
		return nil, fmt.Errorf("try the stub server at %s: %w (is WireMock running there?)", i.base, err)
	}
	return i, nil
}

func (i *Injector) serve(h http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open a loopback listener for the stub server: %w", err)
	}
	i.base = "http://" + listener.Addr().String()
	i.server = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	i.served.Go(func() { _ = i.server.Serve(listener) }) // always ends with ErrServerClosed
	return nil
}

// URL returns the base URL of the stub server.
func (i *Injector) URL() string { return i.base }

// Name implements [harness.Injector].
func (i *Injector) Name() string { return "wiremock" }

// Accepts implements [harness.Injector].
func (i *Injector) Accepts(f harness.Fault) bool {
	_, known := i.links[f.Link]
	return known && f.Cut.Point == harness.CutStub && (f.Action.Name == harness.ActStatus || f.Action.Name == harness.ActAnswer)
}

// Inject implements [harness.Injector].
func (i *Injector) Inject(ctx context.Context, f harness.Fault, caseID string) (harness.Injection, error) {
	if !i.Accepts(f) {
		return nil, fmt.Errorf("wiremock: %s is for another injector or an unknown link", f)
	}
	link := i.links[f.Link]
	prefix := "/stub/" + strings.ToLower(rand.Text())
	method, paths := "ANY", prefix+"/.*"
	if f.Operation != "" {
		op, known := link.Operations[f.Operation]
		if !known {
			return nil, fmt.Errorf("wiremock: %s: link %s has no operation %q; the profile has to declare it", f, f.Link, f.Operation)
		}
		method, paths = op.Method, prefix+op.pattern()
	}
	response, err := link.answer(f)
	if err != nil {
		return nil, err
	}
	rule := wiremock.NewStubRule(method, wiremock.URLPathMatching(paths)).WillReturnResponse(response)
	j := &injection{injector: i, stubID: rule.UUID(), paths: paths, firedC: make(chan struct{}), liftedC: make(chan struct{})}
	// The mapping first: a route to a stub that is not there yet would answer 404.
	if err := i.client.create(ctx, rule); err != nil {
		return nil, fmt.Errorf("wiremock: create the stub of %s for case %s at %s: %w", f, caseID, i.base, err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil, errors.Join(errors.New("wiremock: the injector is closed"), i.client.remove(ctx, j.stubID))
	}
	i.open[j] = true
	j.routed = link.Router.Route(caseID, f.Operation, f.Exchange, i.base+prefix, f.String())
	j.watching.Go(j.watch)
	return j, nil
}

// answer is the answer that the fault asks for: one of the dependency's own, or one
// of a status.
func (l Link) answer(f harness.Fault) (wiremock.Response, error) {
	if f.Action.Name != harness.ActAnswer {
		return canned(f.Action), nil
	}
	own, known := l.Operations[f.Operation].Answers[f.Action.Answer]
	if !known {
		return wiremock.Response{}, fmt.Errorf("wiremock: %s: the profile declares no such answer (dependencies.%s.operations.%s.answers)", f, f.Link, f.Operation)
	}
	r := wiremock.NewResponse().WithStatus(int64(own.Status))
	if own.Body == "" {
		return r, nil
	}
	return r.WithBody(own.Body).WithHeaders(map[string]string{"Content-Type": "application/json"}), nil
}

// canned is unmistakably a stub's answer, and no more than asked.
func canned(a harness.Action) wiremock.Response {
	headers := map[string]string{}
	if a.RetryAfter != "" {
		headers["Retry-After"] = a.RetryAfter
	}
	r := wiremock.NewResponse().WithStatus(int64(a.Status))
	if a.Status != http.StatusNoContent && a.Status != http.StatusNotModified {
		headers["Content-Type"] = "application/json"
		r = r.WithJSONBody(map[string]string{"code": "STUBBED"})
	}
	return r.WithHeaders(headers)
}

// Close lifts what is still armed and ends the server if it is ours.
func (i *Injector) Close() error {
	i.mu.Lock()
	i.closed = true
	open := make([]*injection, 0, len(i.open))
	for j := range i.open {
		open = append(open, j)
	}
	i.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var errs []error
	for _, j := range open {
		errs = append(errs, j.Lift(ctx))
	}
	if i.server != nil {
		errs = append(errs, i.server.Close())
		i.served.Wait()
	}
	return errors.Join(errs...)
}
