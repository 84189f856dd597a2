package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// manyIDs is how many request ids are looked at, and idLanes how many callers make
// them side by side: within a lane one follows the other, and a target that takes
// its time for each is done with all of them within seconds.
const (
	manyIDs = 1000
	idLanes = 40
)

// statusIDs makes a thousand requests that end early where that can be had: with a
// first effect that is refused for good nothing is bought, and the answer names the
// request all the same.
func statusIDs() harness.Scenario {
	return harness.Scenario{
		ID:    "status/unguessable-ids",
		Title: "the ids of a thousand requests have no order and are beyond guessing, and no answer may be kept by a cache",
		Needs: harness.Needs{"checkout", "status"},
		Drive: driveIDs,
		Checks: []harness.Check{
			answers("SRS-CHK-003.13", "ids-beyond-guessing", check.RequestIDs(check.Labelled("lane-"), manyIDs)),
			answers("SRS-CHK-003.13", "nothing-is-cached", check.NothingCached(check.All())),
		},
	}
}

func driveIDs(ctx context.Context, s *harness.Session) error {
	me := s.DefaultPrincipal()
	if err := ownedAndRead(ctx, s, s.Case("read"), me); err != nil {
		return err
	}
	lanes := make([]*harness.Case, idLanes)
	for i := range lanes {
		lanes[i] = s.Case(fmt.Sprintf("lane-%d", i+1))
	}
	return harness.Parallel(idLanes, func(i int) error {
		c := lanes[i]
		lift, err := endsEarly(ctx, s, c)
		if err != nil {
			return err
		}
		for n := range manyIDs / idLanes {
			r := s.Send(ctx, c, harness.Attempt{Principal: me, Keys: []string{s.Target().Dialect.KeyLine(s.Key(fmt.Sprintf("%s-%d", c.Label, n)))}})
			if r.Err != nil {
				return fmt.Errorf("request %d of %s got no answer: %w", n+1, c.Label, r.Err)
			}
			if n%25 == 0 && r.Answer.RequestID != "" {
				read(ctx, s, c, me, r.Answer.RequestID)
			}
		}
		return lift(ctx)
	})
}

// endsEarly has the requests of a case refused by the first dependency with an
// effect, where we stand before it.
func endsEarly(ctx context.Context, s *harness.Session, c *harness.Case) (lift func(context.Context) error, err error) {
	if !offers(s.Target(), harness.CapDependencies) {
		return func(context.Context) error { return nil }, nil
	}
	first, err := firstEffect(s)
	if err != nil {
		return nil, err
	}
	refused, err := s.Inject(ctx, c, first.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 422}))
	if err != nil {
		return nil, err
	}
	return refused.Lift, nil
}
