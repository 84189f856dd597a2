package main

import (
	"context"
	"fmt"
	"os"

	"github.com/oncecheck/oncecheck/harness/rig"
)

// launchEmbedded starts this very binary as the supervisor of the reference, or
// of one of its mutants. It ends when our end of its standard input closes,
// however we ended.
func launchEmbedded(ctx context.Context, mutant string) (*rig.Launched, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this binary, to start the embedded reference: %w", err)
	}
	argv := []string{self, "serve", "--write-profile", "{profile}", "--until-stdin-closes"}
	if mutant != "" {
		argv = append(argv, "--mutant", mutant)
	}
	return rig.Launch(ctx, argv...)
}
