package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// running is a stack under test.
type running struct {
	Info
	t    *testing.T
	http *http.Client
	end  func() // ends the stack and fails the test unless Serve returns nil
	log  *buffer
}

// buffer is a log that a test can read while others write.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start runs a stack of stand-ins, unless o names another command, until the
// test ends.
func start(t *testing.T, o Options, change ...func(*limits)) *running {
	t.Helper()
	if o.Command == nil {
		o.Command = command(roleStandIn)
	}
	r := &running{t: t, log: &buffer{}, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	o.Log = r.log
	l := defaultLimits()
	for _, c := range change {
		c(&l)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan Info, 1), make(chan error, 1)
	go func() { ended <- serve(ctx, o, l, func(i Info) { ready <- i }) }()
	r.end = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve ended with %v", err)
		}
		if log := r.log.String(); strings.Contains(log, "DATA RACE") {
			t.Errorf("a race in a child:\n%s", log)
		}
	})
	select {
	case r.Info = <-ready:
	case err := <-ended:
		cancel()
		t.Fatalf("Serve: %v\n%s", err, r.log)
	}
	t.Cleanup(r.end)
	return r
}

// call sends body as JSON, decodes the answer into out unless that is nil, and
// returns the status.
func (r *running) call(method, url string, body, out any) int {
	r.t.Helper()
	status, err := r.try(method, url, body, out)
	if err != nil {
		r.t.Fatalf("%s %s: %v\n%s", method, url, err, r.log)
	}
	return status
}

func (r *running) try(method, url string, body, out any) (int, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, url, sent)
	if err != nil {
		return 0, err
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if out != nil {
		err = json.NewDecoder(resp.Body).Decode(out)
	}
	return resp.StatusCode, err
}

func (r *running) info() infoState {
	r.t.Helper()
	var state infoState
	r.call("GET", r.ControlURL+"/info", nil, &state)
	return state
}

func (r *running) standIn() standInState {
	r.t.Helper()
	var state standInState
	r.call("GET", r.URL+"/", nil, &state)
	return state
}

type refusal struct{ Error string }

// attach attaches payment under a lease and returns its id.
func (r *running) attach(lease time.Duration) string {
	r.t.Helper()
	var answer attachAnswer
	if status := r.call("POST", r.ControlURL+"/attach", attachRequest{
		Dependencies: map[string]string{payment: attachedURL}, LeaseMs: lease.Milliseconds(),
	}, &answer); status != http.StatusCreated {
		r.t.Fatalf("attach answered %d", status)
	}
	return answer.Lease
}

const attachedURL = "http://127.0.0.1:1/prefix"

// await polls until holds does.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}
