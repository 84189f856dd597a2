package harness

import (
	"errors"
	"fmt"
	"time"
)

// The lanes that carry out scenarios.
const (
	LaneFast = "fast" // what ends soon, on every commit
	LaneSpec = "spec" // everything, at the true numbers, however long that takes
)

// FastLimit is what a scenario may take in the lane fast under the target's own
// policy. What takes longer is left to the lane spec, or carried out on a second
// target of ours that does everything in less time.
const FastLimit = 20 * time.Second

// FastScale divides the times of that second target. The measured times shrink and
// what a busy machine adds to them does not: a tolerance stays at [TimeTolerance].
// So the scale is chosen by what has to be told apart. A checkout that ignores its
// deadline goes on for 6 s in the scenario about it, which here is 0.7 s, more than
// four tolerances.
const FastScale = 8

// Scaled is the second target of a run: the same system, started by whoever runs,
// with all its times divided by Scale. What is proven there is proven of its
// behaviour, and carries the scale.
type Scaled struct {
	Scale  float64    `json:"scale"`
	Target TargetInfo `json:"target"`
}

// ScaledRun is what the evidence tells of a second target.
type ScaledRun struct {
	Scale   float64 `json:"scale"`
	Policy  Policy  `json:"policy"`
	Control Verdict `json:"control"` // of its own positive control
}

// Scaled returns the policy with all times divided by n. Counts are what they are.
func (p Policy) Scaled(n float64) Policy {
	for _, d := range p.times() {
		*d = Duration(float64(*d) / n)
	}
	return p
}

// times are the durations of the policy.
func (p *Policy) times() []*Duration {
	return []*Duration{&p.Checkout.Deadline, &p.Checkout.Retention, &p.Checkout.Reconcile, &p.Client.Connect, &p.Client.Read, &p.Client.Total, &p.Events.Window}
}

// Required returns the numbers of the requirements as they apply to the target of
// the history: divided by the scale at which we started it, and rounded up. A
// target that declares other numbers does not change them.
func (h Header) Required() Policy {
	p := RequiredPolicy()
	if h.Scale > 1 {
		p = p.Scaled(h.Scale)
		for _, d := range p.times() {
			*d += rounding
		}
	}
	return p
}

// Scaled returns a time of the requirements as it applies to the target of the
// history.
func (h Header) Scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) / max(h.Scale, 1))
}

// Tolerance returns by how much a measured time may exceed a limit that grants d
// beyond it. A machine is no faster where the times of a target are divided, so
// the grant shrinks with them only as far as [TimeTolerance].
//
//	grant          at the true numbers   at FastScale
//	abort, close   500 ms                150 ms
//	none           150 ms                150 ms
func (h Header) Tolerance(d time.Duration) time.Duration { return max(h.Scaled(d), TimeTolerance) }

// rounding is by how much a divided time may differ from what a profile says.
const rounding = Duration(2 * time.Microsecond)

// Beside gives the plan a second target for the scenarios that take too long on
// the first. Only who starts both knows the scale: it never comes from a profile.
// The second has to declare exactly the first one's numbers, divided, so that what
// is proven there is proven of the same policy.
func (p *Plan) Beside(scale float64, target TargetInfo, catalogue Catalogue) error {
	if scale <= 1 {
		return fmt.Errorf("a second target whose times are divided by %v is none: wanted more than 1", scale)
	}
	first, second := p.Target.Policy.Scaled(scale), target.Policy
	for i, d := range first.times() {
		if diff := *d - *second.times()[i]; diff > rounding || diff < -rounding {
			return fmt.Errorf("the second target declares %s where the first one's policy divided by %v is %s: both have to be one system", second.times()[i].Std(), scale, d.Std())
		}
	}
	if first.Checkout.Attempts != second.Checkout.Attempts || first.Client.Retries != second.Client.Retries || first.Events.Attempts != second.Events.Attempts {
		return errors.New("the second target declares other numbers of attempts than the first: both have to be one system")
	}
	p.Scaled = &Scaled{Scale: scale, Target: target}
	for i := range p.Scenarios {
		planned := &p.Scenarios[i]
		if s, known := catalogue.Scenario(planned.ID); known && planned.wantsScale() && s.TooLong(LaneFast, target.Policy) == 0 {
			planned.Scaled, planned.Missing = true, s.Needs.Missing(target.Capabilities)
		}
	}
	return nil
}

// WantsScaled reports whether a scenario of the plan could be carried out on a
// second target only.
func (p Plan) WantsScaled() bool {
	for _, s := range p.Scenarios {
		if s.wantsScale() {
			return true
		}
	}
	return false
}

// wantsScale reports whether nothing but its length keeps it from being carried out.
func (p Planned) wantsScale() bool {
	return p.Selected && len(p.Missing) == 0 && p.TooLong > 0 && !p.Scaled
}

// TooLong returns how long a scenario takes under the policy, if that is too long
// for the lane.
func (s Scenario) TooLong(lane string, policy Policy) Duration {
	if s.Long == nil || lane == LaneSpec {
		return 0
	}
	if took := s.Long(policy); took > FastLimit {
		return Duration(took)
	}
	return 0
}

// limit bounds the scenario under a policy.
func (s Scenario) limit(policy Policy) time.Duration {
	if s.Long == nil {
		return scenarioLimit
	}
	return max(scenarioLimit, s.Long(policy)+scenarioLimit/2)
}

// scaleOf returns the scale at which a scenario of the plan is carried out.
func (p Plan) scaleOf(id string) float64 {
	if p.Scaled != nil {
		for _, s := range p.Scenarios {
			if s.ID == id && s.Scaled {
				return p.Scaled.Scale
			}
		}
	}
	return 1
}

// Left says why a selected scenario is not carried out, or "": a capability is
// missing, or it takes too long.
func (p Planned) Left() string {
	switch {
	case len(p.Missing) > 0:
		return missingReason(p.Missing)
	case !p.Runs() && p.TooLong > 0:
		return fmt.Sprintf("takes about %s under the target's policy, longer than the lane %s allows: use --lane %s", p.TooLong.Std().Round(time.Second), LaneFast, LaneSpec)
	}
	return ""
}

// Planned returns what the plan says of a scenario.
func (p Plan) Planned(id string) Planned {
	for _, s := range p.Scenarios {
		if s.ID == id {
			return s
		}
	}
	return Planned{ID: id}
}
