package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
)

// clientFlags are the flags of client as they were given: those of run, and
// where the shim is.
type clientFlags struct {
	runFlags
	url string
}

func newClient(catalogue harness.Catalogue) *cobra.Command {
	var f clientFlags
	cmd := &cobra.Command{
		Use:   "client (--url SHIM | -- COMMAND ARG...)",
		Short: "Tests an HTTP client behind a shim",
		Long: `Tests an API client, in any language, behind a shim: a server on this machine,
of about 80 lines, that makes one call with the client when it is told to. What
the client is to call is played by this process, which counts every request.

COMMAND starts the shim. It prints its URL, http://127.0.0.1:PORT, as the first
line and ends when its standard input does; if not, it is killed at the end. Two
more of it are started for a while, since no two processes may wait alike; where a
port of its own keeps it from that, they are not compared.

A scenario that needs what the shim does not offer stays unverified. The exit
codes are those of run.`,
		Example: `  oncecheck client --url http://127.0.0.1:9005
  oncecheck client --only 'SRS-RES-001.*' -- ./shim --port 0
  oncecheck client --out evidence/client -- node shim.js`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, catalogue, args) },
	}
	f.share(cmd)
	cmd.Flags().StringVar(&f.url, "url", "", "`URL` of a shim that runs")
	return cmd
}

// run refuses whatever is wrong before anything is started or written.
func (f clientFlags) run(cmd *cobra.Command, catalogue harness.Catalogue, args []string) error {
	argv, err := f.command(cmd, args)
	if err != nil {
		return err
	}
	f.seeded(cmd)
	clients := catalogue
	clients.Scenarios = slices.DeleteFunc(slices.Clone(catalogue.Scenarios), func(s harness.Scenario) bool { return !s.ForClient() })
	clients.NFRs = slices.DeleteFunc(slices.Clone(catalogue.NFRs), func(n harness.NFR) bool { return !n.ForClient() })
	if len(clients.Scenarios) == 0 {
		return refuse(errors.New("no scenario of this version tries a client alone"), "")
	}
	x, err := f.experiment(catalogue, clients)
	if err != nil {
		return err
	}
	if f.dryRun {
		fmt.Fprintf(cmd.OutOrStdout(), "%s\ntarget: the client behind %s\n%s\n\n", dryRunTitle, f.where(argv), shimNotAsked)
		return x.would(cmd.OutOrStdout(), func(n harness.Needs) []string { return n.Missing(append(toldByShim(), harness.CapDependency)) })
	}
	x.info.Repeat = f.repeat(argv)
	return f.carryOut(cmd, x, func(ctx context.Context, log io.Writer) (*profile.Profile, func(), error) {
		return f.open(ctx, log, argv)
	})
}

// command returns the command that starts the shim, nothing with --url.
func (f clientFlags) command(cmd *cobra.Command, args []string) ([]string, error) {
	const hint = "oncecheck client --url http://127.0.0.1:PORT, or oncecheck client -- COMMAND ARG..."
	switch dash := cmd.ArgsLenAtDash(); {
	case dash < 0 && len(args) > 0, dash > 0:
		return nil, refuse(fmt.Errorf("oncecheck client takes no argument before --, got %q", args[0]), "put -- before the command that starts the shim")
	case f.url == "" && len(args) == 0:
		return nil, refuse(errors.New("oncecheck client needs to know where the shim is"), hint)
	case f.url != "" && len(args) > 0:
		return nil, refuse(errors.New("oncecheck client takes --url or a command, not both"), hint)
	}
	return args, nil
}

// open starts the shim where that is ours to do, and returns the profile of the
// client behind it, and what ends it.
func (f clientFlags) open(ctx context.Context, log io.Writer, argv []string) (*profile.Profile, func(), error) {
	at, stop := f.url, func() {}
	if len(argv) > 0 {
		fmt.Fprintf(log, "starting the shim: %s\n", oneLine(strings.Join(argv, " ")))
		launched, err := rig.LaunchShim(ctx, log, argv...)
		if err != nil {
			return nil, nil, setUp(ctx, err, "a shim prints its URL, http://127.0.0.1:PORT, as the first line of its standard output")
		}
		at, stop = launched.URL, launched.Stop
	}
	target, err := rig.OfShim(ctx, at)
	if err != nil {
		stop()
		return nil, nil, setUp(ctx, err, "")
	}
	target.Client.Command = argv
	return target, stop, nil
}

func (f clientFlags) where(argv []string) string {
	if f.url != "" {
		return oneLine(f.url)
	}
	return "the command " + oneLine(strings.Join(argv, " ")) + ", which is not started"
}

// repeat returns the command line that repeats the run.
func (f clientFlags) repeat(argv []string) string {
	line := fmt.Sprintf("oncecheck client --seed %d", f.seed) + f.laneFlag()
	if f.known != "" {
		line += " --known " + shellWord(f.known)
	}
	if f.url != "" {
		return line + " --url " + shellWord(f.url)
	}
	line += " --"
	for _, word := range argv {
		line += " " + shellWord(word)
	}
	return line
}
