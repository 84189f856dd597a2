package main

import (
	"context"
	"fmt"
	"os"

	"github.com/oncecheck/oncecheck/harness/rig"
)

// launchEmbedded starts this very binary as the supervisor of the reference, or
// of one of its mutants, with all times divided by scale. It ends when our end of
// its standard input closes, however we ended.
func launchEmbedded(ctx context.Context, mutant string, scale float64) (*rig.Launched, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this binary, to start the embedded reference: %w", err)
	}
	argv := []string{self, "serve", "--write-profile", "{profile}", "--until-stdin-closes", "--instances", "2"}
	if mutant != "" {
		argv = append(argv, "--mutant", mutant)
	}
	if scale != 1 {
		argv = append(argv, "--policy", fmt.Sprint("scaled:", scale))
	}
	return rig.Launch(ctx, argv...)
}
