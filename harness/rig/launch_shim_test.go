//go:build unix

package rig

import (
	"bytes"
	"strings"
	"testing"
)

// TestShimThatDoesNotEnd: a shim that goes on when its standard input has ended
// is killed with what it started, and a long log does not hold it up.
func TestShimThatDoesNotEnd(t *testing.T) {
	var log bytes.Buffer
	l, err := LaunchShim(t.Context(), &log, "/bin/sh", "-c", "echo http://127.0.0.1:9005; echo started; sleep 600 & wait")
	if err != nil {
		t.Fatal(err)
	}
	l.Stop()
	select {
	case <-l.exited:
	default:
		t.Error("it goes on")
	}
	if l.URL != "http://127.0.0.1:9005" || log.String() != "started\n" {
		t.Errorf("URL %q, log %q", l.URL, log.String())
	}
}

// TestShimURL: the first line is taken for nothing but the URL of a shim here.
func TestShimURL(t *testing.T) {
	for line, good := range map[string]bool{
		"http://127.0.0.1:9005": true, "https://localhost:1": true, "http://[::1]:1": true,
		"": false, "http://127.0.0.1": false, "127.0.0.1:9005": false, "http://192.0.2.1:1": false, "ftp://127.0.0.1:1": false, "listening": false,
	} {
		if err := shimURL(line); (err == nil) != good {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := LaunchShim(t.Context(), new(bytes.Buffer), "/bin/sh", "-c", "printf half"); err == nil || !strings.Contains(err.Error(), `it wrote "half" without an end of line`) {
		t.Errorf("%v", err)
	}
}
