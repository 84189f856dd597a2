package harness

// A run may have several targets: the first, a second whose times are divided, and
// twins of the first. Each has a Runner of its own, with its own ledger, amounts,
// keys and positive control, and files of its own where the first has files that
// belong to no scenario.

// onScaled names the target whose times are divided; the first has no name.
const onScaled = "scaled"

// apartBy is how far the amounts of two targets are from each other: more than one
// run hands out.
const apartBy = 100_000

// targets are the runners of all targets of the run, the first one first.
func (r *Runner) targets() []*Runner {
	all := []*Runner{r}
	if r.scaled != nil {
		all = append(all, r.scaled)
	}
	return append(all, r.twins...)
}

// each does something for all targets of the run side by side.
func (r *Runner) each(do func(*Runner) error) error {
	all := r.targets()
	return Parallel(len(all), func(i int) error { return do(all[i]) })
}

// targets names all targets of the plan.
func (p Plan) targets() []string {
	all := []string{""}
	if p.Scaled != nil {
		all = append(all, onScaled)
	}
	return append(all, p.Twins...)
}

// controlID is the id under which the positive control of a target is recorded.
func controlID(on string) string {
	if on == "" {
		return ControlID
	}
	return ControlID + "/" + on
}

// judgeControlOn judges the positive control of one of the further targets.
func judgeControlOn(dir, on string) Verdict {
	h, err := OpenHistory(HistoryFile(dir, controlID(on)))
	if err != nil {
		return Undecided("it left no history")
	}
	return JudgeControl(h)
}

// ControlOf returns the verdict of the positive control on the target that a
// scenario is carried out on.
func (r *Runner) ControlOf(scenario string) Verdict {
	switch {
	case r.scaled != nil && r.plan.scaleOf(scenario) != 1:
		return r.scaled.control
	case r.control.Outcome == Pass && r.onTwin(scenario):
		return r.twinControl()
	}
	return r.control
}
