package conform

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// Client tries an HTTP client of this process with every scenario that needs a
// client and nothing else, each as a subtest named by its id. The handler is the
// client's shim: shim.Handler of github.com/oncecheck/oncecheck/harness/shim
// makes it of anything that makes one call. It is served on loopback until the
// test ends. What [Run] fails for, Client does, too.
//
// Nearly all of the time is waiting, so that go test -parallel 16 is much faster
// than the few that a small machine runs side by side.
func Client(t *testing.T, shim http.Handler, options ...Option) {
	t.Helper()
	server := httptest.NewServer(shim)
	t.Cleanup(server.Close)
	carryOut(t, door.Options{Shim: server.URL, Seed: 1}, options, harness.Scenario.ForClient)
}
