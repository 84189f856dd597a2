package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the command: a script runs it under the name
// oncecheck, and the children that oncecheck starts are the same file, so that
// they are oncecheck as well.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"oncecheck": main, "plainshim": plainShim})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "replace": replace, "await-request": awaitRequest,
			"await-file": awaitFile, "await-attached": awaitAttached, "append": appendLine,
			"fakes": byFakes, "listen-on": listenOn, "served-env": servedEnv,
			"keeps-to-schema": keepsToSchema,
		},
	})
}

type requestSeen struct{}

// setup gives each script a target that answers with a page, one that never
// answers, and an address that is taken.
func setup(env *testscript.Env) error {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><body>\x1b[31mwelcome\x1b[0m</body></html>"))
	}))
	env.Defer(page.Close)
	seen := make(chan struct{}, 100)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// Only once the body was read does the server notice that the caller left.
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the caller left
		seen <- struct{}{}
		<-r.Context().Done()
	}))
	env.Defer(silent.Close)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	env.Defer(func() { _ = taken.Close() })
	env.Values[requestSeen{}] = seen
	env.Setenv("PAGE_URL", page.URL)
	env.Setenv("SILENT_URL", silent.URL)
	env.Setenv("TAKEN", taken.Addr().String())
	return nil
}

// exits CODE COMMAND...: runs a command that has to end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, wanted %d", strings.Join(args[1:], " "), got, want)
	}
}

// replace FILE OLD NEW: replaces the first OLD in the file; \n in NEW is a new line.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], strings.ReplaceAll(args[2], `\n`, "\n"), 1)), 0o644))
}

// await-request waits until the silent target holds a request.
func awaitRequest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: await-request")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	select {
	case <-ts.Value(requestSeen{}).(chan struct{}):
	case <-ctx.Done():
		ts.Fatalf("the target got no request")
	}
}
