package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/scenarios"
)

func main() {
	os.Exit(execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code. The first signal
// cancels what runs, so that faults are lifted and evidence is written; after
// it signals have their usual effect, so that a second one ends us at once.
func execute(ctx context.Context, args []string, in io.Reader, out, log io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return tell(log, err)
	}
	root := newRoot(catalogue)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(log)
	return tell(log, root.ExecuteContext(ctx))
}

func newRoot(catalogue harness.Catalogue) *cobra.Command {
	root := &cobra.Command{
		Use:   "oncecheck",
		Short: "Proves that a system may be retried",
		Long: `oncecheck drives a checkout API through the faults a network can produce, at
exact points, and asks the ledger whether each effect happened once.

Start with "oncecheck run": it tests the embedded reference.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs, // an unknown command is refused in our own words
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return refuse(fmt.Errorf("there is no command %q", args[0]),
				didYouMean(cmd.SuggestionsFor(args[0]), "oncecheck --help lists the commands"))
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRun(catalogue), newServe(), newList(catalogue), newExplain(catalogue),
		newMutants(catalogue), newJudge(catalogue), newInit(), newDoctor(catalogue), newClient(catalogue), newVersion(),
	)
	return root
}

// flagError adds the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("%s --help lists the flags", cmd.CommandPath())
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, "--"+f.Name)
			}
		})
		if near := nearest("--"+unknown.GetSpecifiedName(), known, 1); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		}
	}
	return refuse(err, hint)
}

// noArgs refuses arguments with the words of the command, not those of a
// missing subcommand.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return refuse(fmt.Errorf("%s takes no arguments, got %q", cmd.CommandPath(), strings.Join(args, " ")), cmd.CommandPath()+" --help shows its flags")
}

// oneArg asks for exactly one argument and says what it is.
func oneArg(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return refuse(fmt.Errorf("%s takes one %s, got %d arguments", cmd.CommandPath(), name, len(args)), "usage: "+cmd.UseLine())
	}
}
