package harness

import (
	"context"
	"time"
)

// LaneNFR is the lane in which thresholds are measured. No other lane claims one.
const LaneNFR = "nfr"

// NFR is one quantitative requirement, or one stratum of it, and the series of
// calls that measures it. It claims a rate, and a rate needs a number of calls
// that was decided before the first of them: whoever may stop when it suits him
// can prove anything.
type NFR struct {
	ID       string   // of the requirement, or requirement/stratum: "NFR-RES-001/silent"
	Title    string   // one sentence for people
	Clause   ClauseID // the requirement in the register
	Property string   // what is judged of each call, in the affirmative: "ends-in-time"
	Needs    Needs
	Preregistered
	Limit time.Duration // of the whole series
	// Drive makes the calls. As with a scenario it never decides.
	Drive func(context.Context, *Series) error
	// Judge counts. It reads the history as a stream, since that does not fit into
	// memory.
	Judge func(*History) Measured
}

// Preregistered is what is fixed, and written down, before anything is sent.
type Preregistered struct {
	Claim       string   `json:"claim"`
	Threshold   float64  `json:"threshold"`      // the largest rate of violations that the claim allows, or with a Unit the largest quantile
	Unit        string   `json:"unit,omitempty"` // of a claim about a quantile: "ms"; empty: it is about a rate
	Confidence  float64  `json:"confidence"`     // of the bound
	N           int      `json:"n"`              // calls that count
	Allowed     int      `json:"allowed"`        // violations in n calls with which the claim still holds
	Concurrency int      `json:"concurrency"`
	Seed        uint64   `json:"seed"`
	Mix         []string `json:"mix"` // what the calls meet, with the shares
	Stop        string   `json:"stop"`
}

// Measured is what a series showed.
type Measured struct {
	Verdict
	N          int // calls that count
	Violations int
	Gross      int // of those: so far off that no lag of ours explains it
	UpperBound float64
	Estimate   float64
}

// ForClient reports whether it needs a client under test, and nothing of a target
// with checkouts or a gateway.
func (n NFR) ForClient() bool { return Scenario{Needs: n.Needs}.ForClient() }

// NFR returns the quantitative requirement or stratum with that id.
func (c Catalogue) NFR(id string) (NFR, bool) {
	for _, n := range c.NFRs {
		if n.ID == id {
			return n, true
		}
	}
	return NFR{}, false
}

// PlannedNFR is one quantitative requirement as the plan sees it.
type PlannedNFR struct {
	ID       string   `json:"id"`
	Selected bool     `json:"selected"`
	Missing  []string `json:"missing,omitempty"` // capabilities that the target does not offer
	Preregistered
}

// Runs reports whether the series is to be carried out.
func (p PlannedNFR) Runs() bool { return p.Selected && len(p.Missing) == 0 }

// NewMeasurePlan is [NewPlan] for the lane nfr: series are carried out, and no
// scenario. What each is to show stands in the plan before anything is sent.
func NewMeasurePlan(run RunInfo, target TargetInfo, catalogue Catalogue, selected func(NFR) bool) (Plan, error) {
	p := Plan{Schema: PlanSchema, Run: run, Target: target}
	for _, s := range catalogue.Scenarios {
		p.Scenarios = append(p.Scenarios, Planned{ID: s.ID})
	}
	any := false
	for _, n := range catalogue.NFRs {
		planned := PlannedNFR{ID: n.ID, Selected: selected(n), Preregistered: n.Preregistered}
		planned.Seed = run.Seed
		if planned.Selected {
			any = true
			planned.Missing = n.Needs.Missing(target.Capabilities)
		}
		p.NFRs = append(p.NFRs, planned)
	}
	if !any {
		return Plan{}, errNothingSelected
	}
	return p, nil
}
