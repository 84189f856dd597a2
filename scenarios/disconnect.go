package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func disconnect() harness.Scenario {
	every, working := check.All(), check.Labelled("working-", "answering")
	return harness.Scenario{
		ID:    "disconnect/abandoned",
		Title: "callers hang up in the middle of the request, while the payment is held and while the answer is under way; the work goes on without them, and who asks again gets its result",
		Needs: harness.Needs{"checkout", "dependencies", "effects"},
		Drive: driveDisconnect,
		Checks: []harness.Check{
			effects("SRS-CHK-001.52", "work-goes-on-without-its-caller", check.GoesOnAlone(working)),
			effects("SRS-CHK-001.52", "one-effect-of-each-kind", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			effects("SRS-CHK-001.52", "at-most-once-effect", check.AtMostOnce(every)),
			supplement(effects("SRS-CHK-001.52", "half-a-request-does-nothing", check.HalfDoesNothing(check.Labelled("half")))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// noticing is how long a payment is still held after its caller hung up: a target
// that would act on that has then done so.
const noticing = 300 * time.Millisecond

// abandonment is one point at which a caller hangs up.
type abandonment struct {
	label, where string
	half         bool
	fault        *harness.Fault // what holds the exchange there; nil for half a request
	hold         time.Duration
}

func abandonments(pay operation) []abandonment {
	stall := harness.Action{Name: harness.ActStall}
	before, after := pay.fault(1, harness.CutBeforeForward, stall), pay.fault(1, harness.CutAfterCommit, stall)
	answering := harness.Fault{Link: harness.LinkClient, Operation: harness.OpCheckout, Exchange: 1, Cut: harness.Cut{Point: harness.CutHeaders}, Action: stall}
	return []abandonment{
		{"half", "after half of the request", true, nil, 0},
		{"working-before-payment", "while the payment had not reached the provider", false, &before, noticing},
		{"working-after-payment", "while the payment was made and its answer held", false, &after, noticing},
		{"answering", "after the head of the answer", false, &answering, 0},
	}
}

func driveDisconnect(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	points := abandonments(pay)
	cases := make([]*harness.Case, len(points))
	for i, p := range points {
		cases[i] = s.Case(p.label)
	}
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	if err := harness.Parallel(len(points), func(i int) error { return abandon(ctx, s, cases[i], points[i], a) }); err != nil {
		return err
	}
	if err := awaitWork(ctx, s, cases); err != nil {
		return err
	}
	return harness.Parallel(len(cases), func(i int) error {
		s.Send(ctx, cases[i], a) // the engine repeats it until it is terminal
		return nil
	})
}

func abandon(ctx context.Context, s *harness.Session, c *harness.Case, at abandonment, a harness.Attempt) error {
	if at.half {
		a.Half = true
		return s.Abandon(ctx, c, a, at.where, nil)
	}
	held, err := s.Inject(ctx, c, *at.fault)
	if err != nil {
		return err
	}
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	if err := s.Abandon(firing, c, a, at.where, held.Fired); err != nil {
		return err
	}
	if err := s.Watch(ctx, at.hold); err != nil {
		return err
	}
	return held.Lift(ctx)
}

// awaitWork waits until the ledger shows all that the abandoned requests have to
// leave, at most as long as one call of a client may take, and notes what it shows
// of each.
func awaitWork(ctx context.Context, s *harness.Session, cases []*harness.Case) error {
	limit, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Total.Std())
	defer cancel()
	for {
		found, err := s.Settle(ctx)
		if err != nil {
			return err
		}
		counts := map[string]map[string]int64{}
		for _, e := range found {
			if counts[e.Case] == nil {
				counts[e.Case] = map[string]int64{}
			}
			counts[e.Case][e.Effect.Kind]++
		}
		if done(s, cases, counts) || s.Watch(limit, noticing) != nil {
			for _, c := range cases {
				s.Note(c, check.MarkWentOn, "", counts[c.ID])
			}
			return nil
		}
	}
}

// done reports whether every case but that of half a request left all it has to.
func done(s *harness.Session, cases []*harness.Case, counts map[string]map[string]int64) bool {
	for _, c := range cases {
		for kind, want := range s.Target().PerSuccess {
			if c.Label != "half" && counts[c.ID][kind] < int64(want) {
				return false
			}
		}
	}
	return true
}
