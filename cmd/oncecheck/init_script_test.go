package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/oncecheck/oncecheck/harness/profile"
)

// served-env PROFILE: sets TARGET_URL, and ALICE_TOKEN and so on for each
// principal, from the profile of a served reference.
func servedEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: served-env PROFILE")
	}
	p, err := profile.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Setenv("TARGET_URL", p.Target.URL)
	for name, principal := range p.Principals {
		_, token, _ := strings.Cut(principal.Header["Authorization"], " ")
		ts.Setenv(strings.ToUpper(name)+"_TOKEN", token)
	}
}
