package shim_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/oncecheck/oncecheck/harness/shim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a caller that does what the test says.
type scripted func(ctx context.Context, call shim.Call) shim.Result

func (s scripted) Call(ctx context.Context, call shim.Call) shim.Result { return s(ctx, call) }

// open serves a caller and opens it.
func open(t *testing.T, caller shim.Caller, info shim.Info) *shim.Client {
	t.Helper()
	server := httptest.NewServer(shim.Handler(caller, info))
	t.Cleanup(server.Close)
	c, err := shim.Open(t.Context(), server.URL+"/")
	if err != nil {
		t.Fatal(err)
	}
	return c
}
