package harness

import (
	"context"
	"fmt"
	"time"
)

// measureAll carries out the series of the plan, one after the other: each needs
// the machine for itself.
func (r *Runner) measureAll(ctx context.Context, catalogue Catalogue, o Options) error {
	progress := o.Progress
	if progress == nil {
		progress = func(Progress) {}
	}
	var planned []PlannedNFR
	for _, p := range r.plan.NFRs {
		if p.Runs() {
			planned = append(planned, p)
		}
	}
	for i, p := range planned {
		n, ok := catalogue.NFR(p.ID)
		if !ok || ctx.Err() != nil {
			continue // left without a history: judged as a gap
		}
		progress(Progress{Scenario: p.ID, Planned: len(planned)})
		started := time.Now()
		if err := r.measure(ctx, n, p.Preregistered); err != nil {
			return err
		}
		result, _ := judgeNFR(r.dir, n, p, r.plan.Run, aftermath{provisional: true})
		progress(Progress{Scenario: p.ID, Done: true, Verdict: result.Verdict, Reason: result.Reason, Took: time.Since(started), Finished: i + 1, Planned: len(planned)})
	}
	return nil
}

// measure carries out one series and leaves its history. Unlike a scenario it is
// never repeated: a second try, and then the better one, would prove nothing.
func (r *Runner) measure(ctx context.Context, n NFR, p Preregistered) error {
	header := r.header(n.ID)
	header.NFR = &p
	rec, err := NewRecorder(r.dir, header, r.state.clock, r.redact)
	if err != nil {
		return fmt.Errorf("measure %s: %w", n.ID, err)
	}
	session := newSession(r.target, r.state, n.ID, rec)
	session.exclusive, session.sparse, session.limit = true, true, n.Limit
	lag := watchLag(true)
	series := &Series{Session: session, Planned: p}
	if err := drive(ctx, n.Limit, func(ctx context.Context) error { return n.Drive(ctx, series) }); err != nil {
		session.Note(nil, MarkError, err.Error(), nil)
	}
	lag.end(rec)
	session.finish(ctx, func() {})
	return rec.Close()
}
