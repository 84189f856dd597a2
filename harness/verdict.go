package harness

import "fmt"

// Outcome is the five-valued result of judging. Its zero value is
// inconclusive, so that forgetting to decide can never look green.
type Outcome int

// The outcomes. Only Pass is green.
const (
	Inconclusive  Outcome = iota
	Pass                  // every required observation was made and agrees
	Fail                  // an observation contradicts the clause
	NotVerified           // a capability is missing, or nothing was selected or built
	NotApplicable         // the dialect excludes the clause
)

var outcomeNames = [...]string{"inconclusive", "pass", "fail", "not-verified", "not-applicable"}

func (o Outcome) String() string {
	if o < 0 || int(o) >= len(outcomeNames) {
		return fmt.Sprintf("outcome(%d)", int(o))
	}
	return outcomeNames[o]
}

// MarshalText implements encoding.TextMarshaler.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Outcome) UnmarshalText(text []byte) error {
	for i, name := range outcomeNames {
		if name == string(text) {
			*o = Outcome(i)
			return nil
		}
	}
	return fmt.Errorf("verdict %q is none of pass, fail, inconclusive, not-verified, not-applicable", text)
}

// Verdict is an outcome with what a reader needs to believe it or to mend it.
type Verdict struct {
	Outcome  Outcome `json:"verdict"`
	Reason   string  `json:"reason"`
	Expected string  `json:"expected,omitempty"`
	Observed string  `json:"observed,omitempty"`
	Witness  []int64 `json:"-"` // Seq of the events that show it; judging resolves them into evidence
	Busy     bool    `json:"-"` // of an inconclusive one: the machine hid what was to be measured, so that another attempt may tell
	Hint     *Hint   `json:"-"` // of a pass: what it showed beside it; judging puts it among those of the run
}

// Passed returns a pass with what was seen.
func Passed(reason string, witness ...int64) Verdict {
	return Verdict{Outcome: Pass, Reason: reason, Witness: witness}
}

// Failed returns a failure that contrasts what had to be with what was.
func Failed(expected, observed string, witness ...int64) Verdict {
	return Verdict{Outcome: Fail, Reason: "expected " + expected + ", observed " + observed,
		Expected: expected, Observed: observed, Witness: witness}
}

// Undecided returns an inconclusive verdict and says what is missing.
func Undecided(reason string, witness ...int64) Verdict {
	return Verdict{Outcome: Inconclusive, Reason: reason, Witness: witness}
}

// TooBusy returns an inconclusive verdict on what a busy machine hides.
func TooBusy(reason string, witness ...int64) Verdict {
	v := Undecided(reason, witness...)
	v.Busy = true
	return v
}

// Inapplicable returns a not-applicable verdict and names the knob that excludes
// the clause.
func Inapplicable(reason string) Verdict { return Verdict{Outcome: NotApplicable, Reason: reason} }

// rank orders outcomes for [Merge]: any fail beats inconclusive beats
// not-verified beats pass. Not-applicable yields to everything that was judged.
func (o Outcome) rank() int {
	switch o {
	case Fail:
		return 4
	case Inconclusive:
		return 3
	case NotVerified:
		return 2
	case Pass:
		return 1
	case NotApplicable:
		return 0
	}
	return 3 // an outcome nobody defined decides nothing
}

// Merge returns the verdict that governs several verdicts on one clause: the
// worst, the first of equals. Merging nothing is not-verified.
func Merge(verdicts ...Verdict) Verdict {
	if len(verdicts) == 0 {
		return Verdict{Outcome: NotVerified, Reason: "nothing judged it"}
	}
	worst := verdicts[0]
	for _, v := range verdicts[1:] {
		if v.Outcome.rank() > worst.Outcome.rank() {
			worst = v
		}
	}
	return worst
}
