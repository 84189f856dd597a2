// Command retryablehttp is github.com/hashicorp/go-retryablehttp with its
// defaults, and a timeout for each attempt, behind a shim.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/oncecheck/oncecheck/harness/shim"
)

// timeout is that of the http.Client which makes each attempt; the client around
// it has none.
const timeout = 10 * time.Second

func main() {
	info := shim.Info{Name: "go-retryablehttp", Version: version(), Capabilities: []string{"cancel", "fresh-client", "idempotency-key"}}
	c := &caller{}
	c.client = c.fresh()
	if err := shim.Serve(shim.Handler(c, info), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "retryablehttp:", err)
		os.Exit(1)
	}
}

// version is that of the module which this command was built with.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "github.com/hashicorp/go-retryablehttp" {
				return module.Version
			}
		}
	}
	return "unknown"
}

// caller makes calls with one client, or with a fresh one where it has to.
type caller struct {
	shim.Dials
	client *retryablehttp.Client
}

// fresh returns a client as it comes, with the timeout, that counts its sockets.
func (c *caller) fresh() *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.HTTPClient.Timeout = timeout
	client.Logger = nil // a line for each attempt, which nobody reads
	transport := client.HTTPClient.Transport.(*http.Transport)
	transport.DialContext = c.Counted(transport.DialContext)
	return client
}

// Call implements [shim.Caller].
func (c *caller) Call(ctx context.Context, call shim.Call) shim.Result {
	plain, err := call.Request(ctx)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	request, err := retryablehttp.FromRequest(plain)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	with := c.client
	if call.Fresh {
		with = c.fresh()
		defer with.HTTPClient.CloseIdleConnections()
	}
	response, err := with.Do(request)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	return shim.Responded(ctx, response)
}
