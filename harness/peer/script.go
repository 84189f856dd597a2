package peer

import (
	"errors"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// prepare makes ready what the steps of a script send. It refuses what could not
// be sent as the script says.
func prepare(script harness.Script) ([]*plan, error) {
	if script.Door.For < 0 {
		return nil, fmt.Errorf("door %s: a door cannot be shut for %s", script.Door, script.Door.For.Std())
	}
	steps := script.Steps
	if len(steps) == 0 {
		steps = []harness.Step{{Status: 200}}
	}
	plans := make([]*plan, 0, len(steps))
	for i, step := range steps {
		if err := possible(step); err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", i+1, step, err)
		}
		p := newPlan(step)
		if step.Reused {
			p.fresh = newPlan(harness.Step{Status: 200, Header: step.Header, Body: step.Body, Size: step.Size, Chunked: step.Chunked, Open: step.Open})
		}
		if i < len(script.Steps) && step.Faulty() {
			p.fault = script.FaultText(i + 1)
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func possible(s harness.Step) error {
	switch s.Break {
	case harness.BreakSilent, harness.BreakGarbage, harness.BreakInterim, harness.BreakClose, harness.BreakReset:
		return nil
	case harness.BreakNone, harness.BreakHeaders, harness.BreakShort, harness.BreakCut, harness.BreakChunk:
	default:
		return fmt.Errorf("there is no break %q", s.Break)
	}
	switch {
	case s.Status < 200 || s.Status > 999:
		return fmt.Errorf("an answer needs a status from 200 to 999, not %d", s.Status)
	case s.Chunked && s.Open:
		return errors.New("a body is either chunked or ends with the connection")
	case s.Open && s.Break == harness.BreakShort:
		return errors.New("a body that ends with the connection cannot be too short: nobody knows its length; use reset-in-body, or no break")
	case s.Open && s.Break == harness.BreakChunk:
		return errors.New("bad chunks need a body in chunks")
	}
	return nil
}
