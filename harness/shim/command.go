package shim

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// Serve serves a shim the way oncecheck client starts one: on a free port of
// this machine, with the URL as the first line of out, until in ends. Whoever
// started the process holds the other end of in, so the shim does not outlive it.
func Serve(handler http.Handler, in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve the shim on a free port of 127.0.0.1: %w", err)
	}
	server, served := &http.Server{Handler: handler}, make(chan error, 1)
	go func() { served <- server.Serve(l) }() // ends when the server is closed
	ended := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, in); close(ended) }() // only the end of it matters
	if _, err := fmt.Fprintf(out, "http://%s\n", l.Addr()); err != nil {
		return errors.Join(fmt.Errorf("tell where the shim is: %w", err), server.Close())
	}
	select {
	case err := <-served:
		return fmt.Errorf("serve the shim: %w", err)
	case <-ended:
		return server.Close() // calls that are under way have nobody to come back to
	}
}
