package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// writtenScenarios are those about what a target writes down of its attempts.
func writtenScenarios() []harness.Scenario {
	return []harness.Scenario{audited(), recorded()}
}

// audited reads the log of checkouts of which each dependency failed once.
func audited() harness.Scenario {
	return harness.Scenario{
		ID:    "audit/attempts-and-changes",
		Title: "each dependency fails once and then answers; the log holds a record of every attempt and every change of state",
		Needs: harness.Needs{"checkout", "dependencies", string(harness.CapLogs)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			log, err := s.WatchLogs(ctx)
			if err != nil {
				return err
			}
			cases, _, err := failOnce(ctx, s)
			if err != nil {
				return err
			}
			return log.Read(ctx, cases...)
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.31", "attempts-and-changes-audited", check.Audited(check.All())),
		},
	}
}

// recorded reads the stored records of such checkouts.
func recorded() harness.Scenario {
	return harness.Scenario{
		ID:    "audit/stored-attempts",
		Title: "each dependency fails once and then answers; the stored record holds every attempt as the provider's journal shows it",
		Needs: harness.Needs{"checkout", "dependencies", "status", string(harness.CapStoredRecord)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			cases, made, err := failOnce(ctx, s)
			if err != nil {
				return err
			}
			for i, c := range cases {
				if id := made[i].Answer.RequestID; id != "" {
					if err := s.ReadRecord(ctx, c, id); err != nil {
						return err
					}
				}
			}
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.18", "attempts-stored-as-made", check.RecordMatchesJournal(check.All())),
		},
	}
}

// failOnce makes a checkout for each dependency operation, which fails once: after
// its commit, by a reset, so that whoever asks does so too.
func failOnce(ctx context.Context, s *harness.Session) ([]*harness.Case, []harness.Result, error) {
	ops := effecting(s)
	if len(ops) == 0 {
		return nil, nil, errNothingEffecting
	}
	cases, made := make([]*harness.Case, len(ops)), make([]harness.Result, len(ops))
	return cases, made, harness.Parallel(len(ops), func(i int) error {
		c := s.Case(ops[i].link + "-once")
		cases[i] = c
		failed, err := s.Inject(ctx, c, ops[i].fault(1, harness.CutAfterCommit, harness.Action{Name: harness.ActReset}))
		if err != nil {
			return err
		}
		made[i] = s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
		return failed.Lift(ctx)
	})
}
