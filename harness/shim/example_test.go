package shim_test

import (
	"context"
	"net/http"

	"github.com/oncecheck/oncecheck/harness/shim"
)

// plain is a client as it comes with Go, one for all calls.
type plain struct{ client *http.Client }

// Call makes one call. The context ends at the caller's deadline, or when the
// caller cancels.
func (p plain) Call(ctx context.Context, call shim.Call) shim.Result {
	request, err := call.Request(ctx)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	client := p.client
	if call.Fresh {
		client = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
		defer client.CloseIdleConnections()
	}
	response, err := client.Do(request)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	return shim.Responded(ctx, response)
}

// Any Go client becomes a shim in a few lines; oncecheck client --url
// http://127.0.0.1:9005 then tries it.
func ExampleHandler() {
	serve := func() error {
		return http.ListenAndServe("127.0.0.1:9005", shim.Handler(plain{&http.Client{}}, shim.Info{
			Name: "net/http", Version: "1", Capabilities: []string{"cancel", "fresh-client", "idempotency-key"},
		}))
	}
	_ = serve
}
