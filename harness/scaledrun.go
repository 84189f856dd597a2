package harness

// judgeScaled judges the positive control of the second target, if there is one.
func (p Plan) judgeScaled(dir string) *ScaledRun {
	if p.Scaled == nil {
		return nil
	}
	return &ScaledRun{Scale: p.Scaled.Scale, Policy: p.Scaled.Target.Policy, Control: judgeControlOn(dir, onScaled)}
}

// scaleShown leaves out of a result what is usual.
func scaleShown(scale float64) float64 {
	if scale == 1 {
		return 0
	}
	return scale
}
