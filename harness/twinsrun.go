package harness

import "context"

// admitTwins lets twins take scenarios, and believes what was tried on them of the
// claims. Principals were tried on the first target only, and what does not work
// there works on none.
func (r *Runner) admitTwins() {
	r.free = make(chan *Runner, len(r.twins))
	r.claims = append(r.claims, r.plan.claimsOnTwins(r.dir)...)
	for _, t := range r.twins {
		t.state.unusable = r.state.unusable
		r.free <- t
	}
}

// onTwin reports whether a scenario is carried out on a twin.
func (r *Runner) onTwin(scenario string) bool {
	return len(r.twins) > 0 && r.plan.Planned(scenario).Twin
}

// takeTwin carries a scenario out on the twin that is free next. There it is alone
// from its beginning to its end.
func (r *Runner) takeTwin(ctx context.Context, s Scenario) error {
	if r.twinControl().Outcome != Pass {
		return nil
	}
	select {
	case t := <-r.free:
		defer func() { r.free <- t }()
		return t.scenario(ctx, s, func() {})
	case <-ctx.Done():
		return nil // left without a history: judged as interrupted
	}
}

// twinControl returns the verdict of the positive control on the twins. Any of them
// may take any scenario, so one that cannot be believed stops all: a run must not
// depend on which of them was free.
func (r *Runner) twinControl() Verdict {
	runs := make([]TwinRun, len(r.twins))
	for i, t := range r.twins {
		runs[i] = TwinRun{t.on, t.control}
	}
	return controlOf(runs)
}

func controlOf(twins []TwinRun) Verdict {
	for _, t := range twins {
		if v := t.Control; v.Outcome != Pass {
			v.Reason = "the positive control of " + t.Name + ": " + v.Reason
			return v
		}
	}
	return Passed("the positive control of every twin held")
}

// judgeTwins judges the positive controls of the twins.
func (p Plan) judgeTwins(dir string) []TwinRun {
	var runs []TwinRun
	for _, name := range p.Twins {
		runs = append(runs, TwinRun{name, judgeControlOn(dir, name)})
	}
	return runs
}
