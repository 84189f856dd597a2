package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/oncecheck/oncecheck/harness/profile"
)

// poll calls done until it reports true, or fails the script after a minute.
func poll(ts *testscript.TestScript, what string, done func(context.Context) bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			ts.Fatalf("waited a minute for %s", what)
		}
	}
}

// await-file FILE: waits until the file is there.
func awaitFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await-file FILE")
	}
	poll(ts, args[0], func(context.Context) bool { _, err := os.Stat(ts.MkAbs(args[0])); return err == nil })
}

// [!] await-attached PROFILE: waits until a run holds the dependencies of the
// served target, or until none does.
func awaitAttached(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] await-attached PROFILE")
	}
	p, err := profile.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	poll(ts, "the attachment", func(ctx context.Context) bool { return attached(ctx, ts, p.Control.HTTP) != neg })
}

// attached asks the supervisor whether a run holds the dependencies.
func attached(ctx context.Context, ts *testscript.TestScript, control string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, control+"/info", http.NoBody)
	ts.Check(err)
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer func() { _ = response.Body.Close() }()
	var info struct{ Attachment *struct{} }
	ts.Check(json.NewDecoder(response.Body).Decode(&info))
	return info.Attachment != nil
}

// append FILE LINE: adds a line to a file.
func appendLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE LINE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+args[1]+"\n"), 0o644))
}
