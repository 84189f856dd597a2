//go:build unix

package rig

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestClientIsStartedAgain: a client that this run started can be had in a process
// of its own; one that was there before cannot.
func TestClientIsStartedAgain(t *testing.T) {
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(peer.Close)
	_, at := serveBare(t)
	opened := func(command ...string) *harness.Target {
		p, err := OfShim(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		p.Client.Command = command
		r, err := Open(t.Context(), p, Options{UserAgent: "test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close(context.WithoutCancel(t.Context())) })
		return r.Target
	}
	if opened().Again != nil {
		t.Error("a client that was only pointed at can be started")
	}
	client, stop, err := opened("/bin/sh", "-c", "echo "+at+"; cat").Again(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if _, answer, err := client.Call(t.Context(), harness.ClientCall{Method: "GET", URL: peer.URL}); err != nil || answer.Status != http.StatusTeapot {
		t.Errorf("got %+v, %v", answer, err)
	}
	for _, command := range []string{"exit 1", "echo " + peer.URL + "; cat"} {
		if _, _, err := opened("/bin/sh", "-c", command).Again(t.Context()); err == nil {
			t.Errorf("%q was taken for a client", command)
		}
	}
}
