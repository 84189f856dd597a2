package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// retention moves the target's clock through the time for which it keeps a
// request, and a little beyond. Four requests are under way at the start: two that
// end at once, one of which is repeated just before its time is over and the other
// after it, one that is open for most of that time and then ends, and one that is
// still open when the others are forgotten.
func retention() harness.Scenario {
	ended, kept := check.Labelled("ended"), check.Labelled("kept")
	late, open := check.Labelled("ends-late"), check.Labelled("open")
	return harness.Scenario{
		ID:        "retention/expiry",
		Title:     "a finished request expires by the clock: refused, not run anew; one that ended late is kept since its end, one that is still open for as long as it is",
		Needs:     harness.Needs{"checkout", "clock"},
		Exclusive: true,
		Lasts:     5 * time.Second,
		Drive:     driveRetention,
		Checks: []harness.Check{
			answers("SRS-CHK-001.11", "expired-key-refused", check.ExpiredRefused(ended, check.Labelled("unused"))),
			supplement(needs(answers("SRS-CHK-001.11", "expired-key-refused-in-every-version", check.ExpiredRefused(check.Labelled(otherVersion), check.Labelled("unused"))), string(harness.CapSecondVersion))),
			effects("SRS-CHK-001.11", "expired-key-has-no-effect", check.EachSucceeded(ended, check.EffectsMatchSuccesses(ended))),
			needs(answers("SRS-CHK-IF.06", "kept-since-the-end", check.RetainedFromTheEnd(late)), "dependencies"),
			needs(answers("SRS-CHK-IF.06", "kept-to-the-last-minutes", check.RetainedToTheLast(kept)), "dependencies"),
			needs(answers("SRS-CHK-IF.07", "open-request-is-not-purged", check.PendingKept(open, ended)), "dependencies status"),
			supplement(needs(effects("SRS-CHK-IF.07", "open-request-ends-once", check.OnceEnded(open, check.EachSucceeded(open, check.EffectsMatchSuccesses(open)))), "dependencies status")),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
		},
	}
}

// otherVersion begins the labels of requests to other versions of the API, which end
// at once, are repeated within the retention, and after it.
const otherVersion = "version-"

// The times to which the clock is moved, in 24ths of the declared retention: a
// request that began with it, and one that ended at endsLate of them.
const (
	endsLate = 20
	stillDue = 43
)

// lastMinute is by how much the last repeat comes before the retention is over,
// and at most that part of it.
const (
	lastMinute = time.Minute
	lastPart   = 48
)

// expiry is one run of the scenario.
type expiry struct {
	*harness.Session
	retention     time.Duration
	first         harness.Attempt
	ended, kept   *harness.Case
	late, open    *harness.Case
	versions      []versioned
	id            string              // of ended
	answered      time.Time           // when kept ended, by our own clock
	held, holding []*harness.Injected // what keeps late and open from ending
	purged        bool                // ended was seen to be gone
}

// versioned is a request to another version of the API.
type versioned struct {
	of    *harness.Case
	asked harness.Attempt
}

func driveRetention(ctx context.Context, s *harness.Session) error {
	e := &expiry{Session: s, retention: s.Target().Policy.Checkout.Retention.Std(), first: harness.Attempt{Principal: s.DefaultPrincipal()}, ended: s.Case("ended")}
	e.kept = s.Case("kept")
	e.id = s.Send(ctx, e.ended, e.first).Answer.RequestID
	e.readEnded(ctx)
	e.beginVersions()
	e.askVersions(ctx)
	s.Send(ctx, e.kept, e.first)
	e.answered = time.Now()
	if offers(s.Target(), harness.CapDependencies) {
		if err := e.leaveOpen(ctx); err != nil {
			return err
		}
	}
	at := func(offset time.Duration) func() time.Duration { return func() time.Duration { return offset } }
	for _, step := range []struct {
		to func() time.Duration
		do func(context.Context) error
	}{
		{at(e.retention * endsLate / 24), e.endLate},
		{e.justBefore, e.repeatKept},
		{at(e.retention + time.Minute), e.expire},
		{at(e.retention * stillDue / 24), e.endOpen},
	} {
		to := step.to().Truncate(time.Second) // clocks are moved by whole ones
		if err := s.MoveClock(ctx, to); err != nil {
			return err
		}
		s.Note(nil, check.MarkOffset, "the target's clock is ahead by "+to.String(), map[string]int64{"ms": to.Milliseconds()})
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return s.MoveClock(ctx, 0)
}

// beginVersions chooses what is asked of the other versions of the API: what refers
// to a checkout may be refused for the checkout that has expired.
func (e *expiry) beginVersions() {
	for _, o := range e.Target().Operations {
		if o.Capability == harness.CapSecondVersion && !o.Refers {
			e.versions = append(e.versions, versioned{e.Case(otherVersion + o.Name), harness.Attempt{Operation: o.Name, Principal: callerOf(e.Session, o)}})
		}
	}
}

func (e *expiry) askVersions(ctx context.Context) {
	for _, v := range e.versions {
		e.Send(ctx, v.of, v.asked)
	}
}

// leaveOpen begins two requests whose payment may have been made, and of which the
// provider tells nothing.
func (e *expiry) leaveOpen(ctx context.Context) (err error) {
	e.late, e.open = e.Case("ends-late"), e.Case("open")
	if e.held, err = e.lose(ctx, e.late); err != nil {
		return err
	}
	if e.holding, err = e.lose(ctx, e.open); err != nil {
		return err
	}
	return harness.Parallel(2, func(i int) error {
		e.Send(ctx, []*harness.Case{e.late, e.open}[i], e.first)
		return nil
	})
}

// lose cuts off every answer to a payment of the case, and every answer to who
// asks what became of it.
func (e *expiry) lose(ctx context.Context, c *harness.Case) ([]*harness.Injected, error) {
	pay, err := paying(e.Session)
	if err != nil {
		return nil, err
	}
	return losing(ctx, e.Session, c, pay, harness.CutAfterCommit)
}

// endLate lets the second request end, which is still open by now.
func (e *expiry) endLate(ctx context.Context) error {
	e.Send(ctx, e.ended, e.first)
	e.askVersions(ctx)
	return e.letEnd(ctx, e.late, e.held)
}

// justBefore is how far ahead the clock is when what ended at once is nearly
// forgotten. The time that went by since it ended counts as well.
func (e *expiry) justBefore() time.Duration {
	return e.retention - min(lastMinute, e.retention/lastPart) - time.Since(e.answered)
}

func (e *expiry) repeatKept(ctx context.Context) error {
	e.Send(ctx, e.kept, e.first)
	return nil
}

// expire repeats what has expired, waits for it to be purged beside a request that
// is not to be, and repeats it again: what is left of a key afterwards has to refuse
// it as the record did.
func (e *expiry) expire(ctx context.Context) error {
	e.Send(ctx, e.ended, e.first)
	e.askVersions(ctx)
	e.Send(ctx, e.Case("unused"), e.first)
	for began := time.Now(); e.readEnded(ctx) && time.Since(began) < purgeLimit; {
		if err := e.Watch(ctx, purgeLook); err != nil {
			return err
		}
	}
	if e.purged {
		e.Send(ctx, e.ended, e.first)
	}
	if e.open != nil {
		e.askOpen(ctx)
	}
	return nil
}

// A target is given so long to purge what has expired. Whoever is asked while many
// wait may not answer at once: that is no purge, and is asked again.
const (
	purgeLimit = 10 * time.Second
	purgeLook  = 250 * time.Millisecond
)

// openLooks is how often a request that somebody works on is asked for.
const openLooks = 20

// endOpen shows that the request which ended late is kept, and lets the last one
// end. What was not seen to be purged has had time for it since.
func (e *expiry) endOpen(ctx context.Context) error {
	if !e.purged {
		e.readEnded(ctx)
		e.Send(ctx, e.ended, e.first)
	}
	if e.open == nil {
		return nil
	}
	e.Send(ctx, e.late, e.first)
	e.askOpen(ctx)
	if err := e.letEnd(ctx, e.open, e.holding); err != nil {
		return err
	}
	e.Send(ctx, e.open, e.first)
	return nil
}

// letEnd lifts what keeps a request from ending, and repeats it until it has.
func (e *expiry) letEnd(ctx context.Context, c *harness.Case, held []*harness.Injected) error {
	if c == nil {
		return nil
	}
	e.Send(ctx, c, e.first)
	for _, injected := range held {
		if err := injected.Lift(ctx); err != nil {
			return err
		}
	}
	e.Converge(ctx, c, e.first)
	return nil
}

// askOpen repeats the request that is open, and reads it. While somebody works on
// it, that is all its key says; a moment later it says more.
func (e *expiry) askOpen(ctx context.Context) {
	id := ""
	for range openLooks {
		r := e.Send(ctx, e.open, e.first)
		if id = r.Answer.RequestID; r.Class != harness.ClassInProgress || e.Watch(ctx, purgeLook) != nil {
			break
		}
	}
	if id != "" && offers(e.Target(), harness.CapStatus) {
		read(ctx, e.Session, e.open, e.DefaultPrincipal(), id)
	}
}

// readEnded reads the finished request and reports whether it may still be there.
func (e *expiry) readEnded(ctx context.Context) bool {
	if e.id == "" || !offers(e.Target(), harness.CapStatus) {
		return false
	}
	r := e.Send(ctx, e.ended, harness.Attempt{Operation: harness.OpStatus, Principal: e.DefaultPrincipal(), Vars: map[string]any{"requestId": e.id}})
	status := r.Answer.Status
	e.purged = r.Err == nil && (status == 404 || status == 410)
	return r.Err != nil || status == 200 || status == 429 || status >= 500
}
