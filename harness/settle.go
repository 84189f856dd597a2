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
		s.mu.Lock()
		cases := slices.Clone(s.cases)
		s.mu.Unlock()
		busy = s.inFlight(cases)
		effects, err = s.effects(ctx)
		return len(effects), busy, err
	})
	return effects, err
}

// quiet reads the ledger until it is still.
func quiet(ctx context.Context, window time.Duration, read func(context.Context) (count, busy int, err error)) error {
	return still(ctx, window, "effects", read)
}

// still reads something until its count has not changed for the window while
// nothing was busy. It gives up after settleLimit.
func still(ctx context.Context, window time.Duration, what string, read func(context.Context) (count, busy int, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	since, last := time.Now(), -1
	for {
		count, busy, err := read(ctx)
		if err != nil {
			return fmt.Errorf("read the %s: %w", what, err)
		}
		if busy > 0 || count != last {
			since, last = time.Now(), count
		}
		rest := window - time.Since(since)
		if rest <= 0 {
			return nil
		}
		pause := time.NewTimer(min(window/2, rest)) // no longer than it takes to know
		select {
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("the %s did not settle within %s: %d exchanges in flight, %d %s: %w", what, settleLimit, busy, count, what, ctx.Err())
		case <-pause.C:
		}
	}
}

// AttributedEffect is an effect with the case it belongs to.
type AttributedEffect struct {
	Case   string
	Effect Effect
}

func (s *Session) inFlight(cases []*Case) int {
	if s.target.Journal == nil {
		return 0
	}
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
	// An unknown reference with an amount that only one case of the run asked for
	// is that case's, booked wrongly.
	return r.owner[strconv.FormatInt(e.Amount, 10)]
}

func (r *runState) ledgerCursor() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cursor
}

// finish ends an experiment: all faults are lifted, what was changed is put back,
// unknown outcomes resolved, the effects settled and recorded. It runs even if the scenario failed or the
// run was interrupted, under a context of its own. Once nothing is disturbed any
// more it calls handBack.
func (s *Session) finish(ctx context.Context, handBack func()) {
	s.mu.Lock()
	faults := slices.Clone(s.faults)
	s.mu.Unlock()
	lifting, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	lifted := true
	for _, i := range faults {
		if err := i.Lift(lifting); err != nil {
			lifted = false
			s.Note(i.c, MarkError, err.Error(), nil)
		}
	}
	s.closeDependencies(lifting)
	s.putAllBack(ctx)
	if s.disturbsNoMore() && lifted {
		handBack()
	}
	if ctx.Err() != nil {
		s.Note(nil, MarkInterrupted, context.Cause(ctx).Error(), nil)
	} else {
		s.resolve(ctx)
		s.recordEffects(ctx)
	}
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.run.scenarioEnded()
}

func (s *Session) recordEffects(ctx context.Context) {
	if s.target.Probe == nil {
		if err := s.Rest(ctx); err != nil {
			s.Note(nil, MarkError, err.Error(), nil)
		}
		return
	}
	effects, err := s.Settle(ctx)
	if err != nil {
		s.Note(nil, MarkUnsettled, err.Error(), nil)
		return
	}
	for _, e := range effects {
		s.rec.Append(Event{Type: EffectEvent, Case: e.Case, Effect: &e.Effect})
		s.run.hold(e.Effect)
	}
	s.Note(nil, MarkSettled, "", map[string]int64{"effects": int64(len(effects))})
}

// Rest waits until everything that the session's requests set in motion has
// come to rest: the links we own are idle, and so is the ledger where there is
// one.
func (s *Session) Rest(ctx context.Context) error {
	if s.target.Probe == nil {
		return quiet(ctx, quietWindow, func(context.Context) (count, busy int, err error) {
			s.mu.Lock()
			told, cases := s.told, slices.Clone(s.cases)
			s.mu.Unlock()
			return told, s.inFlight(cases), nil
		})
	}
	_, err := s.Settle(ctx)
	return err
}
