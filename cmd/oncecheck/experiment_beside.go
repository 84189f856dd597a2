package main

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
)

// beside starts the target again where the plan gains by it, and puts what was
// started into the plan: once with all times divided, and as twins. What it returns
// ends them. They are our own processes, so nothing of them outlives the run: what
// cannot be left there as it was is nobody's loss.
func (x experiment) beside(ctx context.Context, plan *harness.Plan, target *harness.Target) (leave func(), err error) {
	scaled, twins := x.scaled != nil && plan.WantsScaled(), 0
	if x.twin != nil && x.jobs > 1 {
		twins = plan.WantsTwins(x.catalogue)
	}
	started := make([]another, 1+twins) // the first is the one whose times are divided
	leave = func() {
		for _, a := range started {
			a.leave(context.WithoutCancel(ctx))
		}
	}
	err = harness.Parallel(len(started), func(i int) (err error) {
		switch {
		case i > 0:
			started[i], err = x.start(ctx, "a twin of the target", x.twin)
		case scaled:
			started[i], err = x.start(ctx, "the target whose times are divided", func(ctx context.Context) (*rig.Launched, error) { return x.scaled(ctx, harness.FastScale) })
		}
		return err
	})
	if err == nil && scaled {
		target.Scaled = started[0].opened.Target
		err = plan.Beside(harness.FastScale, target.Scaled.Info, x.catalogue)
	}
	if err == nil {
		var declared []harness.TargetInfo
		for _, a := range started[1:] {
			target.Twins, declared = append(target.Twins, a.opened.Target), append(declared, a.opened.Target.Info)
		}
		err = plan.TwinWith(x.catalogue, declared...)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// another is the target once more. The zero value is none.
type another struct {
	launched *rig.Launched
	opened   *rig.Rig
}

// start launches the target once more and opens it.
func (x experiment) start(ctx context.Context, what string, launch func(context.Context) (*rig.Launched, error)) (a another, err error) {
	if a.launched, err = launch(ctx); err != nil {
		return another{}, fmt.Errorf("start %s: %w", what, err)
	}
	p, err := profile.Load(a.launched.Profile)
	if err == nil {
		a.opened, err = x.open(ctx, p)
	}
	if err != nil {
		a.leave(context.WithoutCancel(ctx))
		return another{}, fmt.Errorf("open %s: %w", what, err)
	}
	return a, nil
}

// leave gives the target back and ends it.
func (a another) leave(ctx context.Context) {
	if a.opened != nil {
		_ = a.opened.Close(ctx)
	}
	if a.launched != nil {
		_ = a.launched.Stop()
	}
}
