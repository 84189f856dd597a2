package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness/profile"
)

// TestInitTrustsOnlyWhatItIsTold: a certificate that nobody vouches for is named
// as the problem, and --ca is what mends it, in the profile as well.
func TestInitTrustsOnlyWhatItIsTold(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"requestId":"`+strings.Map(printed, r.Header.Get("Idempotency-Key"))+`"}`)
	}))
	defer server.Close()
	dir := t.TempDir()
	file, ca := filepath.Join(dir, "profile.yaml"), filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if code := execute(t.Context(), []string{"init", "--url", server.URL, "-o", file}, nil, &out, &log); code != 2 || !strings.Contains(log.String(), "signed by nobody that is trusted") {
		t.Errorf("exit %d, wanted 2 for the certificate: %s", code, &log)
	}
	if code := execute(t.Context(), []string{"init", "--url", server.URL, "-o", file, "--ca", ca}, nil, &out, &log); code != 0 {
		t.Fatalf("exit %d: %s", code, &log)
	}
	p, err := profile.Load(file)
	if err != nil || p.Target.CA != ca {
		t.Errorf("the profile trusts %q: %v", p.Target.CA, err)
	}
	out.Reset()
	if code := execute(t.Context(), []string{"doctor", "--profile", file}, nil, &out, &log); code != 0 && code != 3 || !strings.Contains(out.String(), "its certificate is trusted") {
		t.Errorf("doctor: exit %d\n%s%s", code, &out, &log)
	}
}

func printed(r rune) rune {
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return '-'
	}
	return r
}
