package main

import (
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	upstreamLine = regexp.MustCompile(`upstream: .*`)
	httpEffects  = regexp.MustCompile(`(?m)^  http:\n    url: .*\n    jq: .*\n`)
	paymentAt    = regexp.MustCompile(`(payment:\n    listen: )"[^"]*"`)
)

// fakes PROFILE: lets our own provider fake answer for each dependency, and its
// ledger tell the effects.
func byFakes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fakes PROFILE")
	}
	text := upstreamLine.ReplaceAllString(ts.ReadFile(args[0]), "fake: provider")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(httpEffects.ReplaceAllString(text, "")), 0o600))
}

// listen-on ADDRESS PROFILE: declares that payment is called at the address.
func listenOn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: listen-on ADDRESS PROFILE")
	}
	text := paymentAt.ReplaceAllString(ts.ReadFile(args[1]), "${1}\""+args[0]+"\"")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
