package main

import (
	"context"
	"fmt"
	"io"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// divided says that there is a second target.
func divided(w io.Writer, plan harness.Plan) {
	if plan.Scaled != nil {
		fmt.Fprintf(w, "what would take too long is tried on a second target, with all times divided by %v\n", plan.Scaled.Scale)
	}
}

// beside starts the target a second time, with all its times divided, and puts it
// into the plan. What it returns ends it. The target is our own process, so nothing
// of it outlives the run: what cannot be left as it was there is nobody's loss.
func (x experiment) beside(ctx context.Context, plan *harness.Plan, target *harness.Target) (leave func(), err error) {
	launched, err := x.scaled(ctx, harness.FastScale)
	if err != nil {
		return nil, fmt.Errorf("start the target whose times are divided: %w", err)
	}
	stop := func() { _ = launched.Stop() }
	p, err := profile.Load(launched.Profile)
	if err != nil {
		stop()
		return nil, err
	}
	second, err := x.open(ctx, p)
	if err != nil {
		stop()
		return nil, fmt.Errorf("open the target whose times are divided: %w", err)
	}
	leave = func() {
		_ = second.Close(context.WithoutCancel(ctx))
		stop()
	}
	if err := plan.Beside(harness.FastScale, second.Target.Info, x.catalogue); err != nil {
		leave()
		return nil, err
	}
	target.Scaled = second.Target
	return leave, nil
}
