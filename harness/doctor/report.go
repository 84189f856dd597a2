package doctor

import "github.com/oncecheck/oncecheck/harness"

// Status is what a line of the report says.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Hint    Status = "hint"    // works, and something is worth knowing
	Untried Status = "untried" // claimed, and only sending could show it
	Broken  Status = "broken"  // claimed, and it does not work
	Stop    Status = "stop"    // nothing more can be said before this is mended
)

// Finding is one line of the report.
type Finding struct {
	Subject string `json:"subject"` // what was looked at: reach, principal bob, effects, ...
	Status  Status `json:"status"`
	Detail  string `json:"detail"`
	Next    string `json:"next,omitempty"` // what to do about it
}

// State is what is known of a capability.
type State string

// The states.
const (
	Works     State = "works"
	NotTried  State = "not tried"
	NotWork   State = "does not work"
	NotClaims State = "not claimed"
)

// Claim is one capability that this version of the suite makes use of.
type Claim struct {
	Name   harness.Capability `json:"name"`
	Key    string             `json:"key"`
	State  State              `json:"state"`
	Reason string             `json:"reason,omitempty"`
}

// Cost is what one missing or broken capability costs.
type Cost struct {
	Capability string             `json:"capability"` // alternatives are joined by |
	Meaning    string             `json:"meaning,omitempty"`
	Key        string             `json:"key,omitempty"`
	Offered    bool               `json:"offered"` // false: no profile can mend it yet
	Clauses    []harness.ClauseID `json:"clauses"` // those that cannot be verified without it
	Judged     []harness.ClauseID `json:"judged"`  // those of them that some scenario judges today
}

// Report is what the doctor found.
type Report struct {
	Target       string    `json:"target"`
	URL          string    `json:"url"`
	Findings     []Finding `json:"findings"`
	Capabilities []Claim   `json:"capabilities"`
	Costs        []Cost    `json:"costs"`
	Exit         int       `json:"exit"`
}

// exit derives the exit code: 0 what is claimed works as far as it was tried, 2
// the target could not be examined, 3 something that is claimed does not work.
func (r *Report) exit() {
	r.Exit = harness.ExitGreen
	for _, f := range r.Findings {
		switch f.Status {
		case Stop:
			r.Exit = harness.ExitUsage
			return
		case Broken:
			r.Exit = harness.ExitInconclusive
		}
	}
}
