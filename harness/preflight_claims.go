package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// claim is something that the profile says can be done.
type claim struct {
	name string // as [Tried] gives it
	key  string // of the profile
	try  func(ctx context.Context, c *Case) (shown string, err error)
}

// tryClaims tries every claimed capability but those that are tried elsewhere, and
// every flag and operation, of which a scenario may use another. A claim that does
// not work leaves a mark; the error says that the target cannot be believed any
// more, or that the run is over.
func (s *Session) tryClaims(ctx context.Context, known string, elsewhere func(Capability) bool) error {
	wanted := func(c Capability) bool { return s.target.Info.offers(c) && !elsewhere(c) }
	asking := slices.Concat(s.routeClaims(known, wanted), s.responseClaims(known), s.instanceClaims(known, wanted), s.operationClaims(), s.webhookClaims(wanted), s.observerClaims(wanted))
	_ = parallelLimit(preflightJobs, len(asking), func(i int) error { // what went wrong is in the marks
		s.tryClaim(ctx, asking[i], s.Case(claimCase+asking[i].name))
		return nil
	})
	return s.tryControls(ctx, slices.Concat(s.settingClaims(wanted), s.storeClaims(wanted), s.processClaims(wanted), s.crashClaims(wanted)))
}

// tryControls tries what changes the target, one after the other.
func (s *Session) tryControls(ctx context.Context, controls []claim) error {
	if len(controls) > 0 && ctx.Err() == nil {
		if err := s.Rest(ctx); err != nil { // a kill is to meet nothing that is still at work
			return fmt.Errorf("before the controls are tried: %w", err)
		}
	}
	before, err := s.remember(ctx, len(controls) > 0)
	if err != nil {
		return err
	}
	for i, cl := range controls {
		if i > 0 && ctx.Err() == nil && soldAfter(controls[i-1]) {
			if err := s.Rest(ctx); err != nil {
				return fmt.Errorf("before the claim %s is tried: %w", cl.name, err)
			}
		}
		c := s.Case(claimCase + cl.name)
		s.trying(c)
		s.tryClaim(ctx, cl, c)
		if left := s.left(); len(left) > 0 { // the claim goes on until it is put back
			return fmt.Errorf("after the claim %s was tried the target could not be put back: it is left %s", cl.name, strings.Join(left, ", "))
		}
		s.trying(nil)
		if err := s.remembers(ctx, before, cl); err != nil {
			return err
		}
	}
	if over(ctx) {
		return context.Cause(ctx)
	}
	return nil
}

// over reports whether ctx ended for another reason than the preflight's limit.
func over(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errPreflightLimit)
}

// tryAgain ends the reason why a claim does not work.
const tryAgain = "; oncecheck doctor --send tries it again"

// tryClaim tries one claim and notes what became of it. What could not be tried
// in time is not known to work.
func (s *Session) tryClaim(ctx context.Context, cl claim, c *Case) {
	shown, err := "", context.Cause(ctx)
	if err == nil {
		shown, err = cl.try(ctx, c)
	}
	switch {
	case over(ctx): // the run is over, which says nothing about the claim
	case err != nil:
		s.Note(c, markClaimWorkNot, fmt.Sprintf("%s: %v", cl.key, err)+tryAgain, nil)
	default:
		s.Note(c, markClaimWorks, shown, nil)
	}
}

// actLimit bounds what a control does and its proof. Coming back may take longer:
// a server has to start.
const actLimit = 10 * time.Second

// thereAndBack makes a change and undoes it, also if the change is not proven or
// ctx has ended: half a change has to be undone, too.
func (s *Session) thereAndBack(ctx context.Context, there, back func(context.Context) error) (string, error) {
	limited, cancel := context.WithTimeoutCause(ctx, actLimit, fmt.Errorf("it was given up after %s", actLimit))
	defer cancel()
	err := there(limited)
	undoing, cancelUndoing := context.WithTimeout(context.WithoutCancel(ctx), backLimit)
	defer cancelUndoing()
	undone := back(undoing)
	switch {
	case err == nil:
		err = undone
	case !errors.Is(undone, ErrBackBefore) && !errors.Is(undone, errNotHeld): // else it never happened
		err = errors.Join(err, undone)
	}
	return s.shown(), err
}

// trying lets what controls do belong to the case of a claim, so that a control
// that does not work is not taken for an experiment that failed.
func (s *Session) trying(c *Case) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claim, s.seen = c, nil
}

// saw returns the case for which a control acts, and keeps what proved it.
func (s *Session) saw(seen string) *Case {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claim != nil && seen != "" {
		s.seen = append(s.seen, seen)
	}
	return s.claim
}

func (s *Session) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, "; then ")
}

// left names the changes that are still in force.
func (s *Session) left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, c := range s.changes {
		names = append(names, c.name)
	}
	return names
}

// processClaims are those about the target's processes. The pause comes first: it
// is over soonest.
func (s *Session) processClaims(wanted func(Capability) bool) []claim {
	var claims []claim
	add := func(c Capability, try func(context.Context, *Case) (string, error)) {
		if wanted(c) {
			claims = append(claims, claim{string(c), s.target.Control.key(c), s.andSells(try)})
		}
	}
	add(CapProcessPause, func(ctx context.Context, _ *Case) (string, error) { return s.thereAndBack(ctx, s.Pause, s.Resume) })
	add(CapProcessKill, func(ctx context.Context, _ *Case) (string, error) { return s.thereAndBack(ctx, s.Kill, s.Start) })
	add(CapProcessControl, func(ctx context.Context, _ *Case) (string, error) {
		err := s.Restart(ctx)
		return s.shown(), err
	})
	return claims
}

// clockTry is how far the clock is moved to see whether it moves.
const clockTry = time.Hour

// settingClaims are those about the target's clock and flags. All flags are
// tried: a scenario that switches one shows nothing of the others.
func (s *Session) settingClaims(wanted func(Capability) bool) []claim {
	var claims []claim
	if s.target.Info.offers(CapFeatureFlag) {
		for _, name := range slices.Sorted(maps.Keys(s.target.Control.Flags)) {
			claims = append(claims, claim{string(CapFeatureFlag) + "." + name, "control.flag." + name,
				func(ctx context.Context, _ *Case) (string, error) { return s.tryFlag(ctx, name) }})
		}
	}
	if wanted(CapClock) {
		claims = append(claims, claim{string(CapClock), "control.clock", func(ctx context.Context, _ *Case) (string, error) {
			return s.thereAndBack(ctx, func(ctx context.Context) error { return s.MoveClock(ctx, clockTry) },
				func(ctx context.Context) error { return s.MoveClock(ctx, 0) })
		}})
	}
	return claims
}

// tryFlag switches a flag to what it is not, and back.
func (s *Session) tryFlag(ctx context.Context, name string) (string, error) {
	return s.thereAndBack(ctx, func(ctx context.Context) error {
		on, err := s.target.Control.Flags[name].State(ctx)
		if err != nil {
			return fmt.Errorf("read the flag %s: %w", name, err)
		}
		return s.SetFlag(ctx, name, !on)
	}, func(ctx context.Context) error { return s.end(ctx, changeFlag+name, "switch the flag "+name+" back") })
}
