package harness

import "time"

// EvidenceSchema is the first field of evidence.json.
const EvidenceSchema = "oncecheck/evidence/v1"

// Evidence is the whole catalogue joined with what really ran. Renderers turn it
// into pages and files; none of them can change a verdict.
type Evidence struct {
	Schema     string                  `json:"schema"`
	Run        RunInfo                 `json:"run"`
	Target     TargetInfo              `json:"target"`
	Scaled     *ScaledRun              `json:"scaled,omitempty"` // the second target, if there was one
	Twins      []TwinRun               `json:"twins,omitempty"`  // further targets of the same kind, if there were any
	Scenarios  []ScenarioResult        `json:"scenarios"`
	Clauses    []ClauseResult          `json:"clauses"`
	Invariants []InvariantResult       `json:"invariants"`
	NFRs       []NFRResult             `json:"nfrs"`
	Totals     Totals                  `json:"totals"`
	Effects    map[string]EffectTotals `json:"effects"`
	NotProven  []NotProven             `json:"notProven"`
	Known      []KnownResult           `json:"known,omitempty"` // the known failures of --known, in its order
}

// RunInfo identifies a run.
type RunInfo struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Seed     uint64    `json:"seed"`
	Lane     string    `json:"lane"`
	Suite    SuiteInfo `json:"suite"`
	Host     HostInfo  `json:"host"`
	Exit     int       `json:"exit"`
	Control  Verdict   `json:"control"` // of the positive control
	// ControlNext is what to look at where the positive control failed.
	ControlNext []string `json:"controlNext,omitempty"`
	Hints       []Hint   `json:"hints,omitempty"` // what it, and scenarios, showed beside their verdicts
	// Principals are those that were tried after the positive control. One that
	// does not work makes the run inconclusive: the profile claims it.
	Principals []Tried `json:"principals,omitempty"`
	// Claims are the capabilities that no scenario of the run needed, and that were
	// tried for that reason. One that does not work makes the run inconclusive, too.
	Claims []Tried `json:"claims,omitempty"`
	// WatchedMS is how long the ledger was watched after the last scenario, in ms.
	// Effects that come later than that are not seen.
	WatchedMS int64  `json:"watchedMs"`
	Repeat    string `json:"repeat"` // the command line that repeats the run, without scenario selection
}

// SuiteInfo identifies the suite that judged.
type SuiteInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// HostInfo identifies the machine the suite ran on.
type HostInfo struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
}

// ScenarioResult is what became of one scenario.
type ScenarioResult struct {
	ID         string        `json:"id"`
	Title      string        `json:"title"`
	Verdict    Outcome       `json:"verdict"`
	Reason     string        `json:"reason"`
	Scale      float64       `json:"scale,omitempty"` // by what the times of its target were divided
	On         string        `json:"on,omitempty"`    // which of the run's targets; empty: the first
	Attempts   int           `json:"attempts"`
	DurationMS int64         `json:"durationMs"`
	History    string        `json:"history,omitempty"` // path relative to the evidence folder, slashes
	Faults     []FaultResult `json:"faults"`
	Overlap    int           `json:"overlap"` // peak of requests of one case in flight at the target
	Repeat     string        `json:"repeat"`  // the command that repeats it
	Known      *Known        `json:"known,omitempty"`
}

// FaultResult tells how far one planned fault was proven.
type FaultResult struct {
	Case     string `json:"case,omitempty"`
	Fault    string `json:"fault"`
	Planned  bool   `json:"planned"`
	Fired    int    `json:"fired"`
	Observed bool   `json:"observed"`
	Lifted   bool   `json:"lifted"`
	Trap     bool   `json:"trap,omitempty"` // it waits for what must not happen
}

// Proven reports whether the fault went through all its stages. A trap that
// nothing went into has two of them only.
func (f FaultResult) Proven() bool {
	if f.Trap && f.Fired == 0 {
		return f.Planned && f.Lifted
	}
	return f.Planned && f.Fired > 0 && f.Observed && f.Lifted
}

// ClauseResult is the verdict on one clause of the register.
type ClauseResult struct {
	ID       ClauseID      `json:"id"`
	Level    string        `json:"level"`
	Strength string        `json:"strength"`
	Title    string        `json:"title"`
	Verdict  Outcome       `json:"verdict"`
	Reason   string        `json:"reason"`
	Scale    float64       `json:"scale"`
	Checks   []CheckResult `json:"checks"`
	Known    *Known        `json:"known,omitempty"` // set where all that fails in it is known
}

// CheckResult is the verdict of one check on one history.
type CheckResult struct {
	Name     string    `json:"name"`
	Scenario string    `json:"scenario"`
	Verdict  Outcome   `json:"verdict"`
	Reason   string    `json:"reason"`
	Expected string    `json:"expected,omitempty"`
	Observed string    `json:"observed,omitempty"`
	Witness  []Witness `json:"witness"`
	Repeat   string    `json:"repeat,omitempty"` // with a failure: the command that repeats it
	Known    *Known    `json:"known,omitempty"`  // with a failure that is known

	hint *Hint // what the verdict showed beside it
}

// Witness is one event of the history that shows the verdict.
type Witness struct {
	Seq  int64  `json:"seq"`
	Text string `json:"text"`
}

// InvariantResult is the verdict on one of I1 to I6.
type InvariantResult struct {
	ID      string        `json:"id"`
	Title   string        `json:"title"`
	Verdict Outcome       `json:"verdict"`
	Reason  string        `json:"reason"`
	Checks  []CheckResult `json:"checks"`
	Known   *Known        `json:"known,omitempty"`
}

// NFRResult is the verdict on one quantitative requirement.
type NFRResult struct {
	ID         string  `json:"id"`
	Claim      string  `json:"claim"`
	Threshold  float64 `json:"threshold"`
	Unit       string  `json:"unit,omitempty"` // of a claim about a quantile; empty: threshold, bound and estimate are rates
	N          int     `json:"n"`
	Violations int     `json:"violations"`
	UpperBound float64 `json:"upperBound"`
	Confidence float64 `json:"confidence"`
	Estimate   float64 `json:"estimate"`
	Lane       string  `json:"lane"`
	Verdict    Outcome `json:"verdict"`
	Reason     string  `json:"reason"`

	Planned    int           `json:"planned"` // calls that were to count, as decided before the run
	DurationMS int64         `json:"durationMs"`
	History    string        `json:"history,omitempty"` // path relative to the evidence folder, slashes
	Faults     []FaultResult `json:"faults"`
	Repeat     string        `json:"repeat"` // the command that repeats it
	Known      *Known        `json:"known,omitempty"`
}

// Totals counts clauses by verdict.
type Totals struct {
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	Known         int `json:"known,omitempty"` // of those that fail
	Inconclusive  int `json:"inconclusive"`
	NotVerified   int `json:"notVerified"`
	NotApplicable int `json:"notApplicable"`
}

// EffectTotals reconciles the ledger for one kind of effect.
type EffectTotals struct {
	Expected   int `json:"expected"`
	Observed   int `json:"observed"`
	Duplicates int `json:"duplicates"`
	Orphans    int `json:"orphans"`
}

// NotProven names a clause that is not green and says why.
type NotProven struct {
	Clause ClauseID `json:"clause"`
	Why    string   `json:"why"`
}
