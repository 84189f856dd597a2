package harness

import (
	"fmt"
	"reflect"
)

// MaxTwins is how many twins a run has at most. What disturbs a target mostly
// waits, but each of them is a whole system beside the first.
const MaxTwins = 3

// A twin is the target of a run once more: the same system, started by whoever runs,
// with a store, a ledger and controls of its own, at the same times. Scenarios that
// disturb a target take turns on twins and not on the first, whose scenarios need
// not wait for them. What is proven there is proven of the same kind of target, so
// what the profile claims is tried once. A target that is not ours to start has none.

// TwinWith gives the plan twins for its exclusive scenarios. Each has to declare what
// the first target declares.
func (p *Plan) TwinWith(catalogue Catalogue, targets ...TargetInfo) error {
	for i, t := range targets {
		name := fmt.Sprint("twin-", i+1)
		if what := p.Target.unlike(t); what != "" {
			return fmt.Errorf("%s declares another %s than the first target: both have to be of one kind", name, what)
		}
		p.Twins = append(p.Twins, name)
	}
	for i := range p.Scenarios {
		planned := &p.Scenarios[i]
		s, known := catalogue.Scenario(planned.ID)
		planned.Twin = known && len(p.Twins) > 0 && p.disturbsFirst(s)
	}
	return nil
}

// disturbsFirst reports whether the plan has the first target disturbed by a
// scenario, unless there is a twin for that.
func (p Plan) disturbsFirst(s Scenario) bool {
	planned := p.Planned(s.ID)
	return s.Exclusive && planned.Runs() && !planned.Scaled
}

// WantsTwins returns how many twins would shorten the run: as many as there are
// scenarios that need one, unless one of them is all there is.
func (p Plan) WantsTwins(catalogue Catalogue) int {
	disturbing, all := 0, 0
	for _, s := range catalogue.Scenarios {
		if planned := p.Planned(s.ID); planned.Runs() && !planned.Scaled {
			all++
		}
		if p.disturbsFirst(s) {
			disturbing++
		}
	}
	if all < 2 {
		return 0
	}
	return min(disturbing, MaxTwins)
}

// unlike names what the other target declares otherwise, or "". The texts of the
// profiles differ by addresses and credentials.
func (t TargetInfo) unlike(other TargetInfo) string {
	t.ProfileSHA256, other.ProfileSHA256 = "", ""
	a, b := reflect.ValueOf(t), reflect.ValueOf(other)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return a.Type().Field(i).Name
		}
	}
	return ""
}

// TwinRun is what the evidence tells of a twin.
type TwinRun struct {
	Name    string  `json:"name"`
	Control Verdict `json:"control"` // of its own positive control
}
