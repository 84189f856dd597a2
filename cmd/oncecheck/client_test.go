package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/shim"
)

// bare is net/http as it comes, behind a shim.
type bare struct{ client *http.Client }

func (b bare) Call(ctx context.Context, call shim.Call) shim.Result {
	request, err := call.Request(ctx)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	response, err := b.client.Do(request)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	return shim.Responded(ctx, response)
}

func bareShim() http.Handler {
	return shim.Handler(bare{&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}, shim.Info{Name: "net/http", Version: "1"})
}

// plainShim is a command that serves a shim as the contract asks: it prints its
// URL and ends with its standard input. With an argument it prints that instead.
func plainShim() {
	if len(os.Args) > 1 {
		fmt.Println(os.Args[1])
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _ = http.Serve(l, bareShim()) }()
	fmt.Println("http://" + l.Addr().String())
	fmt.Fprintln(os.Stderr, "a line of its log")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// clientCatalogue holds a scenario for a client alone, one that asks for more than
// a plain client offers, and two that are about other targets.
func clientCatalogue() harness.Catalogue {
	c := harness.Catalogue{Clauses: []harness.Clause{{ID: "C.1", Level: "must", Title: "a refusal comes back as one"}, {ID: "C.2", Level: "must", Title: "other"}}}
	scenario := func(id string, needs ...string) harness.Scenario {
		return harness.Scenario{
			ID: id, Title: id, Needs: needs,
			Drive: func(ctx context.Context, s *harness.Session) error {
				for _, route := range s.Routes() {
					c := s.Case(string(route) + "-refused")
					d, err := s.Dependency(ctx, c, route, harness.Script{Steps: []harness.Step{{Status: 422}}})
					if err != nil {
						return err
					}
					if err := errors.Join(s.Call(ctx, c, route, harness.ClientCall{Method: "GET", URL: d.URL() + "/x"}).Err, d.Close(ctx)); err != nil {
						return err
					}
				}
				return nil
			},
			Checks: []harness.Check{{Name: "refused", Clause: map[bool]harness.ClauseID{true: "C.1", false: "C.2"}[id == "client/refused"], Judge: func(h *harness.History) harness.Verdict {
				for e := range h.Events() {
					if e.Type == harness.OK && e.Answer.Status == 422 {
						return harness.Passed("it was")
					}
				}
				return harness.Failed("422", "another")
			}}},
		}
	}
	c.Scenarios = []harness.Scenario{scenario("client/refused", "dependency"), scenario("client/leaks", "dependency", "socket-stats"),
		scenario("gateway/refused", "dependency", "gateway"), scenario("x/checkout", "checkout", "dependency")}
	return c
}

// client runs the command as a user would, with that catalogue.
func client(t *testing.T, catalogue harness.Catalogue, args ...string) (code int, out, log string) {
	t.Helper()
	root := newRoot(catalogue)
	root.SetArgs(append([]string{"client"}, args...))
	var stdout bytes.Buffer
	var stderr shared
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	code = tell(&stderr, root.ExecuteContext(t.Context()))
	return code, stdout.String(), stderr.String()
}

// shared is a standard error to which the command and the shim that it started
// write side by side, as they do to that of a process.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func evidenceIn(t *testing.T, dir string) harness.Evidence {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "evidence.json"))
	if err != nil {
		t.Fatal(err)
	}
	var e harness.Evidence
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestClientByURLAndByCommand: the same client is tried the same way, whoever
// started its shim.
func TestClientByURLAndByCommand(t *testing.T) {
	server := httptest.NewServer(bareShim())
	defer server.Close()
	command, err := exec.LookPath("plainshim")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		where  []string
		repeat string
	}{
		"url":     {[]string{"--url", server.URL}, "oncecheck client --seed 5 --only 'client/refused' --url " + server.URL},
		"command": {[]string{"--", command}, "oncecheck client --seed 5 --only 'client/refused' -- " + command},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "o")
			code, out, log := client(t, clientCatalogue(), append([]string{"--seed", "5", "--format", "json", "--out", dir}, row.where...)...)
			if code != 0 || !strings.Contains(out, "evidence") || !strings.Contains(log, "positive control: the client answers through the shim") {
				t.Fatalf("exit %d\n%s\n%s", code, out, log)
			}
			e := evidenceIn(t, dir)
			if e.Target.Name != "net/http" || e.Target.Version != "1" || e.Target.Client == nil || len(e.Target.ProfileSHA256) != 64 {
				t.Errorf("target: %+v", e.Target)
			}
			want := []harness.Outcome{harness.Pass, harness.NotVerified, harness.NotVerified, harness.NotVerified}
			for i, s := range e.Scenarios {
				if s.Verdict != want[i] {
					t.Errorf("%s: %s (%s)", s.ID, s.Verdict, s.Reason)
				}
			}
			if got := e.Scenarios[1].Reason; got != "the profile does not offer: socket-stats" {
				t.Errorf("reason %q", got)
			}
			sameWords := func(a, b string) bool { return len(strings.Fields(a)) == len(strings.Fields(b)) }
			if got := e.Scenarios[0].Repeat; !sameWords(got, row.repeat) || !strings.Contains(got, "--only 'client/refused'") || name == "command" && got != row.repeat {
				t.Errorf("repeat %q, want %q", got, row.repeat)
			}
			if name == "command" && !strings.Contains(log, "a line of its log") {
				t.Errorf("the shim's log is not shown:\n%s", log)
			}
		})
	}
}

// TestClientUsage: wrong input is refused before anything is started.
func TestClientUsage(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	command, err := exec.LookPath("plainshim")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		args []string
		code int
		says string
	}{
		"nothing":          {nil, 2, "needs to know where the shim is"},
		"both":             {[]string{"--url", server.URL, "--", command}, 2, "takes --url or a command, not both"},
		"no dashes":        {[]string{command}, 2, "put -- before the command"},
		"before dashes":    {[]string{"a", "--", command}, 2, "put -- before the command"},
		"elsewhere":        {[]string{"--url", "http://192.0.2.1:1"}, 2, "must be on this machine"},
		"no URL":           {[]string{"--url", "127.0.0.1"}, 2, "client.shim"},
		"no shim":          {[]string{"--url", server.URL}, 2, "it answered status 404"},
		"not there":        {[]string{"--", "/no/such/shim"}, 2, "launch the shim /no/such/shim"},
		"ends":             {[]string{"--", "/bin/sh", "-c", "echo oops >&2; exit 3"}, 2, "it ended before it printed its URL: exit status 3: oops"},
		"prints text":      {[]string{"--", command, "listening"}, 2, `its first line is "listening", not the URL of a shim`},
		"of other targets": {[]string{"--url", server.URL, "--only", "gateway/refused"}, 2, "matches no scenario and no clause"},
		"lane":             {[]string{"--url", server.URL, "--lane", "fats"}, 2, "no lane"},
	} {
		dir := filepath.Join(t.TempDir(), "o")
		code, _, log := client(t, clientCatalogue(), append([]string{"--out", dir}, row.args...)...)
		if code != row.code || !strings.Contains(log, row.says) {
			t.Errorf("%s: exit %d\n%s", name, code, log)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: it left an output folder", name)
		}
	}
	if code, _, log := client(t, harness.Catalogue{}, "--url", server.URL); code != 2 || !strings.Contains(log, "no scenario of this version tries a client alone") {
		t.Errorf("an empty catalogue: exit %d, %s", code, log)
	}
}

// TestClientDryRun: nothing is asked and nothing is started.
func TestClientDryRun(t *testing.T) {
	code, out, log := client(t, clientCatalogue(), "--dry-run", "--", "/no/such/shim")
	if code != 0 || log != "" || !strings.Contains(out, "target: the client behind the command /no/such/shim, which is not started") ||
		!strings.Contains(out, "client/refused") || strings.Contains(out, "gateway/refused") || strings.Contains(out, "x/checkout") ||
		!strings.Contains(out, "2 scenarios would run") || !strings.Contains(out, "counts as offered") {
		t.Errorf("exit %d\n%s\n%s", code, out, log)
	}
}

// TestClientInconclusive: a client that does not carry a plain answer back is not
// judged at all.
func TestClientInconclusive(t *testing.T) {
	server := httptest.NewServer(shim.Handler(wrong{}, shim.Info{Name: "wrong"}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "o")
	code, _, log := client(t, clientCatalogue(), "--url", server.URL, "--out", dir, "--format", "json")
	if code != 3 || !strings.Contains(log, "POSITIVE CONTROL FAILED") || !strings.Contains(log, "no request reached the dependency") || !strings.Contains(log, "check: client.shim") {
		t.Errorf("exit %d\n%s", code, log)
	}
}

// wrong never calls anybody.
type wrong struct{}

func (wrong) Call(context.Context, shim.Call) shim.Result {
	return shim.Result{Outcome: shim.OutcomeResponse, Status: 200}
}
