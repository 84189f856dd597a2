package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// PlanSchema is the first field of plan.json.
const PlanSchema = "oncecheck/plan/v1"

// Plan is written before anything is sent: who is tried, with which seed, and
// which scenarios were selected. Judging joins it with the histories, so that a
// scenario that left none shows as a gap and not as silence.
type Plan struct {
	Schema    string     `json:"schema"`
	Run       RunInfo    `json:"run"`
	Target    TargetInfo `json:"target"`
	Scenarios []Planned  `json:"scenarios"`
	// Scaled is the second target, on which what would take too long is tried.
	Scaled *Scaled `json:"scaled,omitempty"`
	// Twins name the twins of the target, on which what disturbs a target is tried.
	Twins []string `json:"twins,omitempty"`
	// Filtered says that a test framework may leave out more of the selected
	// scenarios while the run is under way.
	Filtered bool `json:"filtered,omitempty"`
	// NFRs are what the lane nfr measures; empty in the others.
	NFRs []PlannedNFR `json:"nfrs,omitempty"`
	// Known are the failures that do not count. They are part of the plan, so that
	// judging again, anywhere, comes to the same exit code.
	Known []KnownFailure `json:"known,omitempty"`
}

// Planned is one scenario of the catalogue as the plan sees it.
type Planned struct {
	ID       string   `json:"id"`
	Selected bool     `json:"selected"`
	Missing  []string `json:"missing,omitempty"` // capabilities that the target does not offer
	// TooLong is how long it takes on the target, where the lane does not allow that.
	TooLong Duration `json:"tooLong,omitempty"`
	// Scaled says that it is carried out on the plan's second target.
	Scaled bool `json:"scaled,omitempty"`
	// Twin says that it is carried out on one of the plan's twins.
	Twin bool `json:"twin,omitempty"`
	// Uses are the capabilities that it cannot do without: carried out, it shows
	// whether they work.
	Uses []Capability `json:"uses,omitempty"`
}

// Runs reports whether the scenario is to be carried out.
func (p Planned) Runs() bool {
	return p.Selected && len(p.Missing) == 0 && (p.TooLong == 0 || p.Scaled)
}

// NewPlan joins the catalogue with a selection and the target's capabilities.
// It fails if nothing was selected: an empty run must not look like a pass.
func NewPlan(run RunInfo, target TargetInfo, catalogue Catalogue, selected func(Scenario) bool) (Plan, error) {
	p := Plan{Schema: PlanSchema, Run: run, Target: target}
	any := false
	for _, s := range catalogue.Scenarios {
		planned := Planned{ID: s.ID, Selected: selected(s)}
		if planned.Selected {
			any = true
			planned.Missing = s.Needs.Missing(target.Capabilities)
			planned.TooLong = s.TooLong(run.Lane, target.Policy)
			planned.Uses = s.uses(target.Capabilities)
		}
		p.Scenarios = append(p.Scenarios, planned)
	}
	if !any {
		return Plan{}, errNothingSelected
	}
	return p, nil
}

var errNothingSelected = errors.New("the selection matches nothing that can be run")

// proves reports whether a scenario that is certain to be carried out shows that
// the capability works.
func (p Plan) proves(c Capability) bool {
	return !p.Filtered && slices.ContainsFunc(p.Scenarios, func(s Planned) bool { return s.Runs() && !s.Scaled && slices.Contains(s.Uses, c) })
}

// PlanFile returns where the plan lies in a run folder.
func PlanFile(dir string) string { return filepath.Join(dir, "plan.json") }

// Write puts the plan into dir by rename.
func (p Plan) Write(dir string) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the plan: %w", err)
	}
	temp := PlanFile(dir) + ".partial"
	if err := os.WriteFile(temp, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	if err := os.Rename(temp, PlanFile(dir)); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}

// ReadPlan reads the plan of a run folder.
func ReadPlan(dir string) (Plan, error) {
	data, err := os.ReadFile(PlanFile(dir))
	if err != nil {
		return Plan{}, fmt.Errorf("read the plan: %w", err)
	}
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return Plan{}, fmt.Errorf("read the plan %s: %w", PlanFile(dir), err)
	}
	if p.Schema != PlanSchema {
		return Plan{}, fmt.Errorf("read the plan %s: schema %q, wanted %q", PlanFile(dir), p.Schema, PlanSchema)
	}
	return p, nil
}
