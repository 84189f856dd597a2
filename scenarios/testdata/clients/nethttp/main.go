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
	if err := shim.Serve(shim.Handler(caller{&http.Client{Timeout: timeout}}, info), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "nethttp:", err)
		os.Exit(1)
	}
}

type caller struct{ client *http.Client }

// Call implements [shim.Caller].
func (c caller) Call(ctx context.Context, call shim.Call) shim.Result {
	request, err := call.Request(ctx)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	client := c.client
	if call.Fresh {
		client = &http.Client{Timeout: timeout, Transport: http.DefaultTransport.(*http.Transport).Clone()}
		defer client.CloseIdleConnections()
	}
	response, err := client.Do(request)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	return shim.Responded(ctx, response)
}
