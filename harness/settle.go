package harness

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	quietWindow = 150 * time.Millisecond // the ledger must not grow for this long
	settleLimit = 10 * time.Second
)

// Settle waits until no exchange of the session's cases is in flight and the
// ledger has not grown for a window, and returns the effects of the cases. It
// records nothing; the engine records the last reading when the scenario ends.
func (s *Session) Settle(ctx context.Context) ([]AttributedEffect, error) {
	if s.target.Probe == nil {
		return nil, fmt.Errorf("settle: this target has no effects probe")
	}
	var effects []AttributedEffect
	err := quiet(ctx, quietWindow, func(ctx context.Context) (count, busy int, err error) {
		busy = s.inFlight()
		effects, err = s.effects(ctx)
		return len(effects), busy, err
	})
	return effects, err
}

// quiet reads the ledger until its count has not changed for the window while
// nothing was busy. It gives up after settleLimit.
func quiet(ctx context.Context, window time.Duration, read func(context.Context) (count, busy int, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	ticker := time.NewTicker(window / 2)
	defer ticker.Stop()
	since, last := time.Now(), -1
	for {
		count, busy, err := read(ctx)
		if err != nil {
			return fmt.Errorf("read the effects: %w", err)
		}
		if busy > 0 || count != last {
			since, last = time.Now(), count
		}
		if time.Since(since) >= window {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the effects did not settle within %s: %d exchanges in flight, %d effects: %w", settleLimit, busy, count, ctx.Err())
		case <-ticker.C:
		}
	}
}

// AttributedEffect is an effect with the case it belongs to.
type AttributedEffect struct {
	Case   string
	Effect Effect
}

func (s *Session) inFlight() int {
	if s.target.Journal == nil {
		return 0
	}
	s.mu.Lock()
	cases := slices.Clone(s.cases)
	s.mu.Unlock()
	n := 0
	for _, c := range cases {
		n += s.target.Journal.InFlight(c.ID)
	}
	return n
}

// effects reads the ledger since the session began and keeps what belongs to
// its cases.
func (s *Session) effects(ctx context.Context) ([]AttributedEffect, error) {
	all, err := s.target.Probe.Effects(ctx, s.since)
	if err != nil {
		return nil, err
	}
	prefix := s.id + "/"
	var mine []AttributedEffect
	for _, e := range all {
		if id := s.run.attribute(e); strings.HasPrefix(id, prefix) {
			mine = append(mine, AttributedEffect{id, e})
		}
	}
	return mine, nil
}

// attribute finds the case of an effect, or "": by its reference, else its
// correlation id, else its amount, which is unique in the run.
func (r *runState) attribute(e Effect) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cursor = max(r.cursor, e.Seq)
	for _, v := range []string{e.Reference, e.CorrelationID} {
		if id := r.owner[v]; v != "" && id != "" {
			return id
		}
	}
	if e.Reference == "" && e.CorrelationID == "" {
		return r.owner[strconv.FormatInt(e.Amount, 10)]
	}
	return ""
}

func (r *runState) ledgerCursor() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cursor
}

// finish ends an experiment: all faults are lifted, unknown outcomes resolved,
// the effects settled and recorded. It runs even if the scenario failed or the
// run was interrupted, under a context of its own.
func (s *Session) finish(ctx context.Context) {
	s.mu.Lock()
	faults, cases := slices.Clone(s.faults), slices.Clone(s.cases)
	s.mu.Unlock()
	lifting, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	for _, i := range faults {
		if err := i.Lift(lifting); err != nil {
			s.Note(i.c, MarkError, err.Error(), nil)
		}
	}
	if ctx.Err() != nil {
		s.Note(nil, MarkInterrupted, context.Cause(ctx).Error(), nil)
	} else {
		s.resolve(ctx)
		s.recordEffects(ctx)
	}
	for _, c := range cases {
		if c.stop != nil {
			c.stop()
		}
	}
}

func (s *Session) recordEffects(ctx context.Context) {
	if s.target.Probe == nil {
		return
	}
	effects, err := s.Settle(ctx)
	if err != nil {
		s.Note(nil, MarkUnsettled, err.Error(), nil)
		return
	}
	for _, e := range effects {
		s.rec.Append(Event{Type: EffectEvent, Case: e.Case, Effect: &e.Effect})
		s.run.hold(e.Effect.Seq)
	}
	s.Note(nil, MarkSettled, "", map[string]int64{"effects": int64(len(effects))})
}

// Rest waits until everything that the session's requests set in motion has
// come to rest: the links we own are idle and the ledger is quiet. Where the
// target gives us neither there is nothing to wait for.
func (s *Session) Rest(ctx context.Context) error {
	if s.target.Probe == nil {
		return nil
	}
	_, err := s.Settle(ctx)
	return err
}

// Restart kills the target and waits until it accepts requests again.
func (s *Session) Restart(ctx context.Context) error {
	if s.target.Control == nil {
		return fmt.Errorf("restart the target: the profile offers no control")
	}
	s.mu.Lock()
	s.restarting = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.restarting = false
		s.mu.Unlock()
	}()
	if err := s.target.Control.Restart(ctx); err != nil {
		return fmt.Errorf("restart the target: %w", err)
	}
	s.Note(nil, MarkRestarted, "", nil)
	return nil
}
