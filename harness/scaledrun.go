package harness

// each does something for the runner and beside it for that of the second target.
func (r *Runner) each(do func(*Runner) error) error {
	if r.scaled == nil {
		return do(r)
	}
	return Parallel(2, func(i int) error { return do([]*Runner{r, r.scaled}[i]) })
}

// scaledID tells the files of the second target from those of the first.
const scaledID = "scaled"

// ScaledControlID is the id under which the positive control of the second target
// records its history.
const ScaledControlID = ControlID + "/" + scaledID

func (r *Runner) isScaled() bool { return r.scale != 1 }

func (r *Runner) scaledPart() string {
	if r.isScaled() {
		return scaledID
	}
	return ""
}

// controlID is the id under which the positive control of the target is recorded.
func (r *Runner) controlID() string {
	if r.isScaled() {
		return ScaledControlID
	}
	return ControlID
}

// ControlOf returns the verdict of the positive control on the target that a
// scenario is carried out on.
func (r *Runner) ControlOf(scenario string) Verdict {
	if r.scaled != nil && r.plan.scaleOf(scenario) != 1 {
		return r.scaled.control
	}
	return r.control
}

// judgeScaled judges the positive control of the second target, if there is one.
func (p Plan) judgeScaled(dir string) *ScaledRun {
	if p.Scaled == nil {
		return nil
	}
	run := &ScaledRun{Scale: p.Scaled.Scale, Policy: p.Scaled.Target.Policy, Control: Undecided("the positive control of the second target left no history")}
	if h, err := OpenHistory(HistoryFile(dir, ScaledControlID)); err == nil {
		run.Control = JudgeControl(h)
	}
	return run
}

// scaleShown leaves out of a result what is usual.
func scaleShown(scale float64) float64 {
	if scale == 1 {
		return 0
	}
	return scale
}
