package main

import (
	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/doctor"
)

// doctorFlags are the flags of doctor as they were given.
type doctorFlags struct {
	runFlags // the profile and the hosts that may be disturbed
	send     bool
	asJSON   bool
}

func newDoctor(catalogue harness.Catalogue) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor --profile FILE",
		Short: "Says what of a profile works before anything is proven, and what the rest costs",
		Long: `Says line by line what of a profile works: whether the target answers, each
principal is let in, the effects can be read, dependencies and controls do what
is declared; and what each capability that is missing costs, clause by clause.

Nothing with an idempotency key is sent without --send. With it, each customer
makes one plain checkout, one payment is declined, and each control, flag and
further operation that the profile offers is tried once: the target is killed,
paused and restarted, and left as it was.

Exit: 0 nothing that was tried is broken, 2 the target cannot be examined, 3
something that the profile claims does not work.`,
		Example: `  oncecheck doctor --profile profile.yaml
  oncecheck doctor --profile profile.yaml --send`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.examine(cmd, catalogue) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "profile `FILE` of the target")
	flags.StringArrayVar(&f.allow, "allow-host", nil, "`HOST` off this machine that may be disturbed; may be repeated")
	flags.BoolVar(&f.send, "send", false, "make plain checkouts, and try each control and operation once")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f doctorFlags) examine(cmd *cobra.Command, catalogue harness.Catalogue) error {
	if f.profile == "" {
		return refuse(errNoProfile, "oncecheck init --url URL writes a profile to begin with")
	}
	p, err := f.load()
	if err != nil {
		return err
	}
	if p.Checkout == nil {
		return refuse(errNoCheckout, "oncecheck run --profile FILE begins with plain calls through the client and the gateway, and says what of them does not work")
	}
	ctx := cmd.Context()
	report, err := doctor.Examine(ctx, subject(p, f.allow), catalogue, doctor.Options{Send: f.send})
	if err != nil {
		return setUp(ctx, err, "")
	}
	if f.asJSON {
		err = writeJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.WriteText(cmd.OutOrStdout(), oneLine)
	}
	if err != nil {
		return err
	}
	return conclude(report.Exit)
}
