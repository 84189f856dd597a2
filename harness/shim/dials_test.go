package shim_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/oncecheck/oncecheck/harness/shim"
)

// counting is a client that counts its sockets by what it embeds.
type counting struct {
	plain
	*shim.Dials
}

// TestDials: a socket counts from the dial on, and until it is closed or turns
// out not to be.
func TestDials(t *testing.T) {
	dials := &shim.Dials{}
	client := open(t, counting{plain{&http.Client{}}, dials}, shim.Info{Name: "x"})
	held := func(want int) {
		t.Helper()
		if n, err := client.Sockets(t.Context()); err != nil || n != want {
			t.Errorf("%d sockets, %v, want %d", n, err, want)
		}
	}
	begun, refuse := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		_, err := dials.Counted(func(context.Context, string, string) (net.Conn, error) {
			close(begun)
			<-refuse
			return nil, errors.New("refused")
		})(t.Context(), "tcp", "127.0.0.1:1")
		ended <- err
	}()
	<-begun
	held(1)
	close(refuse)
	if err := <-ended; err == nil {
		t.Error("the error of the dial got lost")
	}
	held(0)
	ours, theirs := net.Pipe()
	conn, err := dials.Counted(func(context.Context, string, string) (net.Conn, error) { return ours, nil })(t.Context(), "tcp", "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	held(1)
	for range 2 {
		_ = conn.Close()
	}
	_ = theirs.Close()
	held(0)
}
