// Command nethttp is the client of net/http, with a timeout and nothing else,
// behind a shim.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/oncecheck/oncecheck/harness/shim"
)

// timeout "includes connection time, any redirects, and reading the response
// body", says net/http.
const timeout = 10 * time.Second

func main() {
	info := shim.Info{Name: "net/http", Version: runtime.Version(), Capabilities: []string{"cancel", "fresh-client", "idempotency-key"},
		Policy: &shim.Policy{TotalMs: timeout.Milliseconds()}}
	c := &caller{}
	c.client = c.fresh()
	if err := shim.Serve(shim.Handler(c, info), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "nethttp:", err)
		os.Exit(1)
	}
}

// caller makes calls with one client, or with a fresh one where it has to.
type caller struct {
	shim.Dials
	client *http.Client
}

// fresh returns a client that is like the default one, and counts its sockets.
func (c *caller) fresh() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = c.Counted(transport.DialContext)
	return &http.Client{Timeout: timeout, Transport: transport}
}

// Call implements [shim.Caller].
func (c *caller) Call(ctx context.Context, call shim.Call) shim.Result {
	request, err := call.Request(ctx)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	with := c.client
	if call.Fresh {
		with = c.fresh()
		defer with.CloseIdleConnections()
	}
	response, err := with.Do(request)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	return shim.Responded(ctx, response)
}
