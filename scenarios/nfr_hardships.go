package scenarios

import (
	"context"
	"errors"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// together sends the request of the experiment as often as was drawn, released
// by a barrier.
func (d *duplicating) together(ctx context.Context, c *harness.Case, e experiment, instances int) error {
	_, err := d.Together(ctx, c, e.sends, func(i int) harness.Attempt {
		return harness.Attempt{Principal: d.me, Instance: i % instances}
	})
	return err
}

func undisturbed(ctx context.Context, d *duplicating, c *harness.Case, e experiment) error {
	return d.together(ctx, c, e, 1)
}

// requestLost has the first request never reach the target.
func requestLost(ctx context.Context, d *duplicating, c *harness.Case, e experiment) error {
	lost, err := d.Inject(ctx, c, atClient(harness.CutBeforeForward))
	if err != nil {
		return err
	}
	d.Send(ctx, c, harness.Attempt{Principal: d.me})
	return errors.Join(d.together(ctx, c, e, 1), lost.Lift(ctx))
}

// answerLost has the first answer of those that were sent together not reach its
// caller.
func answerLost(ctx context.Context, d *duplicating, c *harness.Case, e experiment) error {
	lost, err := d.Inject(ctx, c, atClient(harness.CutAfterCommit))
	if err != nil {
		return err
	}
	return errors.Join(d.together(ctx, c, e, 1), lost.Lift(ctx))
}

func atClient(cut harness.Point) harness.Fault {
	return harness.Fault{Link: harness.LinkClient, Exchange: 1, Cut: harness.Cut{Point: cut}, Action: harness.Action{Name: harness.ActReset}}
}

// failures are the ways in which a dependency fails once, on either side of its
// commit.
func failures() []harness.Action {
	return []harness.Action{
		{Name: harness.ActStatus, Status: 429}, {Name: harness.ActStatus, Status: 500}, {Name: harness.ActStatus, Status: 503},
		{Name: harness.ActReset}, {Name: harness.ActStall},
	}
}

// downstreamFails has one dependency fail once, before or after its commit.
func downstreamFails(ctx context.Context, d *duplicating, c *harness.Case, e experiment) error {
	cut := bothSides()[e.number%2]
	fails, err := d.Inject(ctx, c, d.ops[e.op].fault(1, cut, failures()[e.fails]))
	if err != nil {
		return err
	}
	return errors.Join(d.together(ctx, c, e, 1), fails.Lift(ctx))
}

// acrossInstances sends to all instances in turn.
func acrossInstances(ctx context.Context, d *duplicating, c *harness.Case, e experiment) error {
	return d.together(ctx, c, e, d.Target().Instances)
}

// acrossRestart holds the payments of all experiments of the batch, half of them
// before and half of them after they were made, and restarts the target. Each
// experiment then has sends on both sides of the restart.
func (d *duplicating) acrossRestart(ctx context.Context, batch []experiment) error {
	pay, err := paying(d.Session)
	if err != nil {
		return err
	}
	cases, held := make([]*harness.Case, len(batch)), make([]*harness.Injected, len(batch))
	for i, e := range batch {
		cases[i] = d.open(e)
		if held[i], err = d.Inject(ctx, cases[i], pay.fault(1, bothSides()[i%2], harness.Action{Name: harness.ActStall})); err != nil {
			return err
		}
	}
	sent := make(chan error, 1)
	go func() {
		sent <- harness.Parallel(len(batch), func(i int) error { return d.together(ctx, cases[i], batch[i], 1) })
	}()
	firing, cancel := context.WithTimeout(ctx, d.Target().Policy.Client.Read.Std())
	defer cancel()
	for _, h := range held {
		if err = errors.Join(err, h.Fired(firing)); err != nil {
			err = fmt.Errorf("hold the payments of %d experiments: %w", len(batch), err)
			break
		}
	}
	if err == nil {
		err = d.Restart(ctx)
	}
	for _, h := range held {
		err = errors.Join(err, h.Lift(ctx))
	}
	if err = errors.Join(err, <-sent); err != nil {
		return err
	}
	return harness.Parallel(len(batch), func(i int) error { return d.conclude(ctx, cases[i]) })
}
