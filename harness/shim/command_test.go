package shim_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/shim"
)

// TestServe: a command that serves its shim prints where it is, and ends with
// its input.
func TestServe(t *testing.T) {
	in, closeIn := io.Pipe()
	out, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- shim.Serve(shim.Handler(plain{&http.Client{}}, shim.Info{Name: "net/http"}), in, printed)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSuffix(line, "\n")
	c, err := shim.Open(t.Context(), url)
	if err != nil || c.Info().Name != "net/http" {
		t.Fatalf("the shim at %q: %v", url, err)
	}
	_ = closeIn.Close()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if _, err := shim.Open(t.Context(), url); !errors.Is(err, harness.ErrNotSent) {
		t.Errorf("it goes on serving: %v", err)
	}
}

// TestServeNobody: where nobody can be told the URL nothing stays behind.
func TestServeNobody(t *testing.T) {
	in, closeIn := io.Pipe()
	out, printed := io.Pipe()
	_ = out.Close()
	err := shim.Serve(http.NotFoundHandler(), in, printed)
	if err == nil || !strings.Contains(err.Error(), "tell where the shim is") {
		t.Errorf("%v", err)
	}
	_ = closeIn.Close()
}
