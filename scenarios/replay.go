package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// repeats is how often a finished request is sent again.
const repeats = 10

func replaySuccess() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/replay-success",
		Title: "a finished checkout sent ten times more is answered ten times alike and does nothing",
		Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error { return driveReplay(ctx, s, "") },
		Checks: []harness.Check{
			answers("SRS-CHK-001.26", "original-response-replayed", check.EachSucceeded(every, check.OriginalResponseReplayed(every, repeats))),
			effects("SRS-CHK-001.26", "one-effect-of-each-kind", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			answers("SRS-CHK-001.27", "same-order-id", check.SameOrderID(every, repeats)),
			effects("SRS-CHK-001.27", "only-order-in-ledger", check.OnlyOrder(every)),
			answers("SRS-CHK-001.29", "success-status-replayed", check.EachSucceeded(every, check.SameStatusReplayed(every, repeats))),
			needs(effects("SRS-CHK-001.32", "replay-calls-no-dependency", check.EachSucceeded(every, check.NoCallsOnReplay(every))), "dependencies"),
			effects("SRS-CHK-001.32", "replay-has-no-effect", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			{Name: "one-order-per-key", Invariant: "I2", Judge: check.SameOrderID(every, repeats)},
		},
	}
}

func replayDeclined() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/replay-declined",
		Title: "a declined checkout sent ten times more is declined ten times alike and leaves nothing behind",
		Needs: harness.Needs{"checkout", "decline"},
		Drive: func(ctx context.Context, s *harness.Session) error { return driveReplay(ctx, s, "declined") },
		Checks: []harness.Check{
			answers("SRS-CHK-001.29", "declined-at-first", check.Declined(every)),
			answers("SRS-CHK-001.29", "decline-status-replayed", check.Unless(check.DeclineNotStored, check.SameStatusReplayed(every, repeats))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I6", "decline-leaves-no-orphan", check.NothingLeftBehind(every)),
		},
	}
}

// driveReplay sends one checkout, waits until all it set in motion has come to
// rest, and sends it again.
func driveReplay(ctx context.Context, s *harness.Session, variant string) error {
	c := s.Case("replayed")
	a := harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variant}
	s.Send(ctx, c, a)
	if err := s.Rest(ctx); err != nil {
		return err
	}
	s.Note(c, check.MarkReplays, "", nil)
	for range repeats {
		s.Send(ctx, c, a)
	}
	return nil
}

func responseLost() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/response-lost",
		Title: "the answer is lost after the commit; the caller's retry gets it and nothing happens twice",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			actions := []harness.Action{{Name: harness.ActReset}, {Name: harness.ActClose}}
			return harness.Parallel(len(actions), func(i int) error {
				c := s.Case(string(actions[i].Name))
				f := harness.Fault{Link: harness.LinkClient, Exchange: 1, Cut: harness.Cut{Point: harness.CutAfterCommit}, Action: actions[i]}
				return lostThenRetried(ctx, s, c, f)
			})
		},
		Checks: lostChecks(every),
	}
}

// lostChecks judge a request whose first answer was lost: the retry is the
// replay, and one more shows that it is stable.
func lostChecks(every check.Pick) []harness.Check {
	return []harness.Check{
		answers("SRS-CHK-001.26", "retry-gets-the-lost-answer", check.OriginalResponseReplayed(every, 1)),
		answers("SRS-CHK-001.27", "same-order-id", check.SameOrderID(every, 1)),
		effects("SRS-CHK-001.27", "only-order-in-ledger", check.OnlyOrder(every)),
		invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		{Name: "one-order-per-key", Invariant: "I2", Judge: check.SameOrderID(every, 1)},
		invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
	}
}

// lostThenRetried sends under the fault, lifts it, and repeats until the answer
// is terminal, then once more.
func lostThenRetried(ctx context.Context, s *harness.Session, c *harness.Case, f harness.Fault) error {
	injected, err := s.Inject(ctx, c, f)
	if err != nil {
		return err
	}
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	s.Send(ctx, c, a)
	if err := injected.Lift(ctx); err != nil {
		return err
	}
	s.Converge(ctx, c, a)
	s.Send(ctx, c, a)
	return nil
}

func connectionLost() harness.Scenario {
	return harness.Scenario{
		ID:    "idempotency/connection-lost",
		Title: "a slow link, and one whose connections die while the answer is due: toxiproxy between caller and target",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			actions := []harness.Action{
				{Name: harness.ActLatency, Delay: harness.Duration(150 * time.Millisecond)},
				{Name: harness.ActReset, Delay: harness.Duration(time.Millisecond)},
			}
			return harness.Parallel(len(actions), func(i int) error {
				c := s.Case(string(actions[i].Name))
				return lostThenRetried(ctx, s, c, harness.Fault{Link: harness.LinkClient, Cut: harness.Cut{Point: harness.CutTCP}, Action: actions[i]})
			})
		},
		Checks: lostChecks(check.All()),
	}
}
