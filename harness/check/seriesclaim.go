package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/stats"
)

// seriesTally is what a series came to, apart from what was asked of it.
type seriesTally struct {
	counted    int
	violations int
	gross      int // violations that no lag explains
	witness    []int64
	expected   string   // of each call
	example    string   // of a violation
	open       []string // why the count cannot be believed
}

func (t *seriesTally) violate(seq int64, example string) {
	t.violations++
	if t.example == "" {
		t.example = example
	}
	if len(t.witness) < maxExamples {
		t.witness = append(t.witness, seq)
	}
}

func (t *seriesTally) doubt(n int, format string, args ...any) {
	if n > 0 {
		t.open = append(t.open, fmt.Sprintf(format, args...))
	}
}

// maxExamples is how many violations a verdict shows.
const maxExamples = 5

// claim compares a tally with what was planned. Fewer calls than planned, or a
// count with a gap, claim nothing; more violations than were allowed refute the
// claim however many calls there were.
func (t *seriesTally) claim(h *harness.History) harness.Measured {
	p := h.Header.NFR
	t.violations = min(t.violations, t.counted) // several sockets may be one call's
	m := harness.Measured{N: t.counted, Violations: t.violations, Gross: min(t.gross, t.violations), UpperBound: 1}
	if p == nil || p.N < 1 || p.Threshold <= 0 {
		m.Verdict = harness.Undecided("nothing was planned of this series")
		return m
	}
	m.UpperBound, m.Estimate = stats.UpperBound(t.violations, t.counted, p.Confidence), stats.Estimate(t.violations, t.counted)
	found := fmt.Sprintf("%d of %d", t.violations, t.counted)
	switch {
	case t.counted == 0 && len(t.open) == 0:
		m.Verdict = harness.Undecided("no call was made")
	case t.violations > p.Allowed:
		m.Verdict = harness.Failed(
			fmt.Sprintf("at most %d of %d calls that do not %s", p.Allowed, p.N, t.expected),
			fmt.Sprintf("%s; the rate may be as high as %.3g, above %.3g; one of them: %s", found, m.UpperBound, p.Threshold, t.example), t.witness...)
		if needed := stats.SmallestN(t.violations, p.Threshold, p.Confidence); m.Estimate < p.Threshold && needed > p.N {
			m.Reason += fmt.Sprintf("; a claim that so many do not refute needs %d calls, planned as such", needed)
		}
	case len(t.open) > 0:
		m.Verdict = harness.Undecided(t.open[0], t.witness...)
	case t.counted < p.N:
		m.Verdict = harness.Undecided(fmt.Sprintf("%d calls count, and %d were planned", t.counted, p.N), t.witness...)
	case m.UpperBound > p.Threshold:
		m.Verdict = harness.Undecided(fmt.Sprintf("%s: the rate may be as high as %.3g, above %.3g", found, m.UpperBound, p.Threshold), t.witness...)
	default:
		m.Verdict = harness.Passed(fmt.Sprintf("%s calls do not %s: with %.4g %% confidence the rate is at most %.3g", found, t.expected, 100*p.Confidence, m.UpperBound), t.witness...)
	}
	return m
}
