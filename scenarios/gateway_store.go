package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// gatewayStore are the scenarios that change the target for everybody: its clock,
// its flag, the link to its store. Each runs alone.
func gatewayStore() []harness.Scenario {
	return []harness.Scenario{fallbackAge(), featureFlag(), fallbackStore()}
}

// pastLimit is how far beyond the declared age a result is made.
const pastLimit = time.Minute

// fallbackAge makes stored results older by moving the target's clock.
func fallbackAge() harness.Scenario {
	young, old := at("young"), at("old")
	return harness.Scenario{
		ID:        "gateway/fallback-age",
		Title:     "two results are stored, and the clock is moved: one of half the declared age is served with its age, one beyond it is not served",
		Needs:     harness.Needs{"dependency", "gateway", "fallback-seed", "clock"},
		Exclusive: true,
		Drive:     driveAge,
		Checks: []harness.Check{
			answers("SRS-RES-001.92", "too-old-is-not-served", check.TooOldRefused(old, young)),
			answers("SRS-RES-001.92", "age-is-told", check.AgeTold(young)),
		},
	}
}

func driveAge(ctx context.Context, s *harness.Session) error {
	limit := 10 * time.Minute // undeclared: what is no age limit may be told all the same
	if g := s.Target().Gateway; g != nil && g.MaxAge > 0 {
		limit = g.MaxAge.Std()
	}
	for _, r := range []struct {
		label  string
		offset time.Duration
	}{{"young", (limit / 2).Round(time.Second)}, {"old", limit + pastLimit}} {
		c, d, err := openResulting(ctx, s, resulting{label: r.label, script: thenFailing(200, status(503))})
		if err != nil {
			return err
		}
		askNumbered(ctx, s, c, 1, get())
		if err := s.MoveClock(ctx, r.offset); err != nil {
			return err
		}
		s.Note(c, check.MarkAged, "its result is older by "+r.offset.String(), map[string]int64{"offsetMs": r.offset.Milliseconds()})
		askNumbered(ctx, s, c, 2, get())
		if err := s.MoveClock(ctx, 0); err != nil {
			return err
		}
		if err := d.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}

// featureFlag switches retries and fallback off, and on again.
func featureFlag() harness.Scenario {
	return harness.Scenario{
		ID:        "gateway/feature-flag",
		Title:     "the flag for retries and fallback is off: one attempt, within the deadline, and no stored result; on again, all of it is back, and a gauge shows which",
		Needs:     harness.Needs{"dependency", "gateway", "feature-flag", "resilience-flag", "metrics"},
		Exclusive: true,
		Lasts:     6 * time.Second,
		Timed:     true,
		Drive:     driveFlag,
		Checks: []harness.Check{
			answers("SRS-RES-001.88", "flag-decides-about-retries", check.Every(
				check.Sends(at("off-failing"), 1, 1),
				check.Returns(at("off-failing"), check.Outcome{Failure: true}),
				check.SendsBy(at("on-failing"), allAttempts))),
			timed(answers("SRS-RES-001.88", "deadline-does-not-depend-on-it", check.NoLooser(check.LimitTotal, check.Every(
				check.Lasts(at("off-silent"), check.UpTo(check.TotalLimit)),
				check.Returns(at("off-silent"), check.Outcome{Failure: true}))))),
			answers("SRS-RES-001.88", "gauge-shows-the-flag", check.FlagShown("gauge-on", "gauge-off")),
			supplement(needs(answers("SRS-RES-001.88", "flag-decides-about-fallback", check.Every(
				check.GaveUp(at("off-stored")), check.FallbackServed(at("on-stored")))), "fallback-seed")),
		},
	}
}

func driveFlag(ctx context.Context, s *harness.Session) error {
	flag, err := s.Flag(harness.FlagResilience)
	if err != nil {
		return err
	}
	switched := func(on bool, gauge string) error {
		if err := s.SetFlag(ctx, flag, on); err != nil {
			return err
		}
		return s.ReadMetrics(ctx, s.Case(gauge))
	}
	if err := switched(true, "gauge-on"); err != nil {
		return err
	}
	if _, err := driveResultings(ctx, s, []resulting{
		{"on-failing", answering(status(503)), asking(1, get())},
		{"on-stored", thenFailing(200, status(503)), asking(2, get())},
	}); err != nil {
		return err
	}
	kept, d, err := openResulting(ctx, s, resulting{label: "off-stored", script: thenFailing(200, status(503))})
	if err != nil {
		return err
	}
	askNumbered(ctx, s, kept, 1, get())
	if err := switched(false, "gauge-off"); err != nil {
		return err
	}
	askNumbered(ctx, s, kept, 2, get())
	if err := d.Close(ctx); err != nil {
		return err
	}
	_, err = driveResultings(ctx, s, []resulting{
		{"off-failing", answering(status(503)), asking(1, get())},
		{"off-silent", answering(breaking(harness.BreakSilent)), asking(1, get())},
	})
	return err
}

// The calls of the experiment with the store: of so many eligible ones the last
// find its link cut.
const (
	eligibleCalls = 20
	cutCalls      = 5
	storeDelay    = 20 * time.Second // longer than any call may take
)

// fallbackStore disturbs the link to the store of results, which must neither
// hold a caller nor make a miss invisible.
func fallbackStore() harness.Scenario {
	counted := check.Labelled("stored-", "cut-")
	return harness.Scenario{
		ID:        "gateway/fallback-store",
		Title:     "twenty failed calls have a stored result, for five of them the store is cut off; later it answers too late: each call ends in time, and all are counted",
		Needs:     harness.Needs{"dependency", "gateway", "fallback-seed", "store-link"},
		Exclusive: true,
		Lasts:     12 * time.Second,
		Timed:     true,
		Drive:     driveStore,
		Checks: []harness.Check{
			timed(answers("SRS-RES-001.79", "slow-store-does-not-hold-a-caller", check.NoLooser(check.LimitTotal, check.Every(
				check.LastsStored(at("slow-silent"), check.UpTo(check.TotalLimit)),
				check.TimedOut(at("slow-silent")))))),
			needs(answers("SRS-RES-001.94", "misses-are-counted", check.FallbacksCounted(counted, true, cutCalls)), "metrics"),
			supplement(answers("SRS-RES-001.79", "cut-store-does-not-hold-a-caller", check.GaveUp(check.Labelled("cut-")))),
		},
	}
}

func driveStore(ctx context.Context, s *harness.Session) error {
	measured := func() error {
		if !offers(s.Target(), harness.CapMetrics) {
			return nil
		}
		return s.ReadMetrics(ctx, nil)
	}
	type open struct {
		c *harness.Case
		d *harness.Dependency
	}
	slow := resulting{label: "slow-silent", script: thenFailing(200, breaking(harness.BreakSilent))}
	opened := make([]open, 0, eligibleCalls+1)
	for i := range eligibleCalls {
		label := fmt.Sprintf("stored-%02d", i+1)
		if i >= eligibleCalls-cutCalls {
			label = fmt.Sprintf("cut-%02d", i+1)
		}
		c, d, err := openResulting(ctx, s, resulting{label: label, script: thenFailing(200, status(503))})
		if err != nil {
			return err
		}
		opened = append(opened, open{c, d})
	}
	c, d, err := openResulting(ctx, s, slow)
	if err != nil {
		return err
	}
	opened = append(opened, open{c, d})
	ask := func(from, to, n int) {
		_ = harness.Parallel(to-from, func(i int) error { // what became of them is in the history
			askNumbered(ctx, s, opened[from+i].c, n, get())
			return nil
		})
	}
	ask(0, len(opened), 1)
	if err := measured(); err != nil {
		return err
	}
	ask(0, eligibleCalls-cutCalls, 2)
	if err := s.DisturbStore(ctx, harness.StoreDisturbance{Mode: harness.StoreCut}); err != nil {
		return err
	}
	ask(eligibleCalls-cutCalls, eligibleCalls, 2)
	if err := s.RestoreStore(ctx); err != nil {
		return err
	}
	if err := measured(); err != nil {
		return err
	}
	if err := s.DisturbStore(ctx, harness.StoreDisturbance{Mode: harness.StoreSlow, Delay: storeDelay}); err != nil {
		return err
	}
	ask(eligibleCalls, len(opened), 2)
	if err := s.RestoreStore(ctx); err != nil {
		return err
	}
	for _, o := range opened {
		if err := o.d.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}
