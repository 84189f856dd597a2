package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Scenario carries out one scenario and leaves its history in the run folder.
// What went wrong in the experiment is recorded there; the error is for what
// could not even be recorded. Without a positive control nothing is sent.
func (r *Runner) Scenario(ctx context.Context, s Scenario) error {
	return r.scenario(ctx, s, func() {})
}

// scenario is Scenario, and calls handBack as soon as it disturbs the target no
// more.
func (r *Runner) scenario(ctx context.Context, s Scenario, handBack func()) error {
	if r.scaled != nil && r.plan.scaleOf(s.ID) != 1 {
		return r.scaled.scenario(ctx, s, handBack)
	}
	if r.control.Outcome != Pass {
		return nil
	}
	if r.onTwin(s.ID) {
		return r.takeTwin(ctx, s)
	}
	if err := r.recordSharing(ctx, s, handBack); err != nil || !s.Timed || ctx.Err() != nil {
		return err
	}
	return r.repeatLagged(ctx, s)
}

func (r *Runner) record(ctx context.Context, s Scenario) error {
	return r.recordSharing(ctx, s, func() {})
}

func (r *Runner) recordSharing(ctx context.Context, s Scenario, handBack func()) error {
	id := s.ID
	if id == ControlID {
		id = controlID(r.on)
	}
	rec, err := NewRecorder(r.dir, r.header(id), r.state.clock, r.redact)
	if err != nil {
		return err
	}
	session := newSession(r.target, r.state, s.ID, rec)
	session.exclusive, session.repeated, session.limit = s.Exclusive, attempts(r.dir, s.ID) > 1, s.limit(r.target.Info.Policy)
	if s.ClientOnly {
		session.exclusive, session.clientOnly = false, true
		defer r.state.client.take(s.ID)()
	}
	lag := watchLag(s.Timed)
	if left := r.left(); len(left) > 0 { // it would be tried on a target that is not the one to be tested
		session.Note(nil, MarkLost, NotPutBack+strings.Join(left, ", "), nil)
	} else if err := drive(ctx, session.limit, func(ctx context.Context) error { return s.Drive(ctx, session) }); err != nil {
		session.Note(nil, MarkError, err.Error(), nil)
	}
	lag.end(rec)
	session.finish(ctx, handBack)
	return rec.Close()
}

// header returns what the history of an experiment begins with.
func (r *Runner) header(id string) Header {
	t := r.target.Info
	return Header{
		RunID: r.plan.Run.ID, Scenario: id, On: r.on, Seed: r.plan.Run.Seed, Started: r.state.clock.Base(),
		Lane: r.plan.Run.Lane, Scale: r.scale, Requirements: t.Requirements, Target: t.Name, Policy: t.Policy,
		Dialect: t.Dialect, Capabilities: t.Capabilities, Links: t.Links, PerSuccess: t.PerSuccess, Operations: t.Operations, Client: t.Client, Gateway: t.Gateway, Control: r.control,
		Maintenance: t.Maintenance, AmountKinds: r.facts.amountKinds, OrderIDs: r.facts.orderIDs, UnusedLinks: r.facts.unusedLinks, Namesakes: t.namesakes(),
	}
}

// scenarioLimit bounds one scenario, unless it is Long: none of the others waits
// for a minute.
const scenarioLimit = 90 * time.Second

func drive(ctx context.Context, limit time.Duration, do func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("the scenario exceeded "+limit.String()))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the scenario panicked: %v", p)
		}
	}()
	return do(ctx)
}
