package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/reference/stack"
)

// serveFlags are the flags of serve as they were given.
type serveFlags struct {
	options          stack.Options
	policy           string
	instance         bool // be an instance of a supervisor
	untilStdinCloses bool // be the target of a run that started us
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serves the reference, or a broken variant of it, until Ctrl-C",
		Example: `  oncecheck serve --write-profile reference.yaml
  oncecheck serve --mutant replay-200 --write-profile broken.yaml
  oncecheck serve --store postgres://shop:$PASSWORD@127.0.0.1/shop --instances 2 --write-profile reference.yaml
  oncecheck serve --listen-dependencies --write-profile reference.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.instance {
				return stack.RunChild(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
			}
			return f.serve(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.options.Addr, "addr", "127.0.0.1:0", "loopback address `HOST:PORT` to serve on; port 0 takes a free one")
	flags.StringVar(&f.policy, "policy", "spec", "`POLICY`: spec for the specified times, scaled:N for times divided by N")
	flags.StringVar(&f.options.Store, "store", "", "`STORE`, sqlite:PATH or postgres:DSN, a database that is there (default: a temporary file)")
	flags.IntVar(&f.options.Instances, "instances", 1, "processes that share the store, `N`")
	flags.StringVar(&f.options.Dialect, "dialect", "srs", "`NAME` of the dialect to speak")
	flags.StringVar(&f.options.Mutant, "mutant", "", "`NAME` of a broken variant to serve instead; oncecheck list mutants shows them")
	flags.StringVar(&f.options.WriteProfile, "write-profile", "", "`FILE` that appears, complete, once everything accepts")
	flags.BoolVar(&f.options.ListenDependencies, "listen-dependencies", false, "call fixed addresses on which a run of the profile has to listen, as a target does that cannot be told whom to call; alone, checkouts answer 503 or 202")
	flags.BoolVar(&f.instance, "instance", false, "")
	flags.BoolVar(&f.untilStdinCloses, "until-stdin-closes", false, "")
	for _, hidden := range []string{"instance", "until-stdin-closes"} {
		flags.Lookup(hidden).Hidden = true
	}
	return cmd
}

func (f serveFlags) serve(cmd *cobra.Command) error {
	o, err := f.complete(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if f.untilStdinCloses {
		var stop context.CancelFunc
		ctx, stop = untilEOF(ctx, cmd.InOrStdin())
		defer stop()
	}
	err = stack.Serve(ctx, o, func(i stack.Info) { banner(cmd.OutOrStdout(), o, i) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return refuse(err, "another program listens there; choose another port with --addr, or 127.0.0.1:0 for a free one")
	}
	return refuse(err, "")
}

// complete turns the flags into the options of the stack.
func (f serveFlags) complete(log io.Writer) (stack.Options, error) {
	o := f.options
	o.Log = log
	self, err := os.Executable()
	if err != nil {
		return o, refuse(fmt.Errorf("find this binary, to start instances: %w", err), "")
	}
	o.Command = []string{self, "serve", "--instance"}
	if o.Scale, err = scale(f.policy); err != nil {
		return o, err
	}
	if o.Mutant == "" {
		return o, nil
	}
	var names []string
	for _, m := range stack.Mutants() {
		if m.Name == o.Mutant {
			return o, nil
		}
		names = append(names, m.Name)
	}
	return o, refuse(fmt.Errorf("there is no mutant %q", o.Mutant), didYouMean(nearest(o.Mutant, names, 3), "mutants: "+strings.Join(names, ", ")))
}

// scale reads the policy: by how much all times are divided.
func scale(policy string) (float64, error) {
	if policy == "spec" {
		return 1, nil
	}
	if text, ok := strings.CutPrefix(policy, "scaled:"); ok {
		if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 1 && n <= 1000 {
			return n, nil
		}
	}
	return 0, refuse(fmt.Errorf("there is no policy %q", policy), "spec for the specified times, or scaled:N to divide them by N from 1 to 1000")
}

// untilEOF ends with in: whoever started us holds its other end. Ctrl-C on a
// terminal reaches all its processes, but a target must outlive the run that
// tests it, or that run could not lift its faults.
func untilEOF(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	signal.Ignore(os.Interrupt)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // the end of it is all that matters
	}()
	return ctx, cancel
}
