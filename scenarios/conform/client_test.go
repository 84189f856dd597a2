package conform_test

import (
	"context"
	"flag"
	"net/http"
	"testing"

	"github.com/oncecheck/oncecheck/harness/shim"
	"github.com/oncecheck/oncecheck/scenarios/conform"
)

// ours stands for the client of a repository: whatever makes one call.
type ours struct{ client *http.Client }

func (o ours) Call(ctx context.Context, call shim.Call) shim.Result {
	request, err := call.Request(ctx)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	response, err := o.client.Do(request)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	return shim.Responded(ctx, response)
}

// A client in the process of its own tests needs no command and no port.
func ExampleClient() {
	// In a file client_test.go:
	//	func TestClient(t *testing.T) { ... }
	testClient := func(t *testing.T) {
		conform.Client(t, shim.Handler(ours{http.DefaultClient}, shim.Info{Name: "ours", Version: "1"}), conform.WithEvidence("evidence"))
	}
	_ = testClient
}

var bare = flag.Bool("bare", false, "try net/http as it comes, which fails many a scenario")

// TestClient is that door. The tests of package guard open it for one scenario.
func TestClient(t *testing.T) {
	if !*bare {
		t.Skip("takes a minute and fails: go test ./scenarios/conform -parallel 16 -args -bare")
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	conform.Client(t, shim.Handler(ours{&http.Client{Transport: transport}}, shim.Info{Name: "net/http", Version: "1"}), conform.WithEvidence(*outFolder))
}
