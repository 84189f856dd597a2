package stack

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/store"
)

// Info is what a person or a script needs to use a running stack.
type Info struct {
	URL         string            // of the first instance's API
	ControlURL  string            // of the control API, see the package comment
	ShimURL     string            // of the reference's API client behind a shim
	LedgerURL   string            // GET with ?since=N
	ProfilePath string            // where the profile was written, empty if it was not
	Tokens      map[string]string // principal -> bearer token, without the scheme word
	Listen      map[string]string // dependency -> host:port that a run has to listen on; nil where runs attach
}

// limits bounds what the supervisor waits for.
type limits struct {
	ready   time.Duration // a child's start until it accepts
	stop    time.Duration // a child's orderly end
	push    time.Duration // one instance taking dependency addresses
	backoff time.Duration // before the first restart of a child that died by itself
}

func defaultLimits() limits {
	return limits{ready: 20 * time.Second, stop: 5 * time.Second, push: 2 * time.Second, backoff: 100 * time.Millisecond}
}

// supervisor is one running stack.
type supervisor struct {
	options   Options
	limits    limits
	log       *log.Logger
	secret    string         // signs the bearer tokens; lives and dies with the stack
	webhooks  string         // signs the payment provider's webhooks; the same
	store     string         // its name
	at        store.Location // what that means
	link      *storeProxy    // between the instances and the server of the store; nil without one
	upstreams *upstreams
	listen    map[string]string // see Info
	links     *dependencies
	settings  *settings
	logFile   string // that all instances append to
	instances []*instance
}

// Serve runs the stack until ctx ends, and then returns nil with every child
// ended and every socket closed. It calls ready once, when all instances
// accept requests and the profile is written. It fails if an option is wrong,
// an address is taken or an instance does not become ready; the error carries
// the last lines that the instance wrote to its standard error.
func Serve(ctx context.Context, o Options, ready func(Info)) error {
	return serve(ctx, o, defaultLimits(), ready)
}

func serve(ctx context.Context, o Options, l limits, ready func(Info)) (err error) {
	o, err = o.complete()
	if err != nil {
		return err
	}
	s := &supervisor{
		options: o, limits: l, secret: rand.Text() + rand.Text(), webhooks: "whsec_" + base64.StdEncoding.EncodeToString([]byte(rand.Text())),
		log: log.New(&sharedWriter{to: o.Log}, "", 0),
	}
	named, removeStore, err := openStore(o.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeStore()) }()
	if s.at, err = store.Locate(named); err != nil {
		return err
	}
	s.store = named
	if s.link, err = s.proxyStore(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.link.close()) }()
	logs, err := os.MkdirTemp("", "oncecheck-log-")
	if err != nil {
		return fmt.Errorf("make a folder for the instances' log: %w", err)
	}
	s.logFile = filepath.Join(logs, "instances.jsonl")
	defer func() { err = errors.Join(err, os.RemoveAll(logs)) }()

	if s.upstreams, err = startUpstreams(context.WithoutCancel(ctx), s.log); err != nil {
		return err
	}
	defer s.upstreams.close()
	if s.listen, err = o.fixed(); err != nil {
		return err
	}
	s.links = newDependencies(s.upstreams.dependencies(), l.push, s.log)
	if s.listen != nil {
		s.links = newDependencies(baseURLs(s.listen), l.push, s.log)
		s.links.fixed = true
	}
	defer s.links.close()
	s.settings = newSettings(l.push, s.log)
	defer s.settings.close()

	control, err := listenLoopback("control")
	if err != nil {
		return err
	}
	defer func() { _ = control.Close() }()
	if err := s.openInstances(); err != nil {
		return err
	}
	defer s.closeInstances()
	if err := removeStale(o.WriteProfile); err != nil {
		return err
	}

	// Children end first: an orderly end may still call the upstreams.
	children, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	if err := s.startInstances(children, &running); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	server := serveOn(children, control, s.control(), s.log)
	defer server.close()
	shim, err := s.serveShim(children)
	if err != nil {
		return err
	}
	defer shim.close()

	info, err := s.publish(server.url, shim.url)
	if err != nil {
		return err
	}
	ready(info)
	<-ctx.Done()
	return nil
}

// sharedWriter lets the supervisor and the outputs of its children share a log.
// It reports no error: a full disk or a closed terminal must not break the pipe
// of a child and so end it.
type sharedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *sharedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.to.Write(p)
	return len(p), nil
}
