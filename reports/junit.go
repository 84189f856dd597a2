package reports

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/oncecheck/oncecheck/harness"
)

// JUnit renders junit.xml: one suite a requirement card, one case for each
// check of a clause in a scenario. A failure is <failure>, an inconclusive
// verdict <error>, and what was not verified or does not apply <skipped>, so
// that no reader of JUnit can count it as passed. A known failure is skipped as
// well, and says so. The positive control, the invariants, the thresholds and
// the list of known failures have suites of their own, since they decide the
// exit code too.
func JUnit(w io.Writer, e harness.Evidence) error {
	r := junitRun{e: e, scenarios: scenarioIndex(e)}
	r.out.Name = "oncecheck"
	r.out.Time = seconds(e.Run.Finished.Sub(e.Run.Started))
	control := r.suite("positive control")
	control.AddTestcase(r.wholeCase("positive-control", "the probe sees zero, one and two effects", e.Run.Control.Outcome, e.Run.Control.Reason))
	for _, p := range e.Run.Principals {
		control.AddTestcase(r.wholeCase("principal-"+p.Name, "the principal can act at all", p.Outcome(), p.Reason))
	}
	for _, c := range e.Run.Claims {
		control.AddTestcase(r.wholeCase("claim-"+c.Name, "what the profile claims works", c.Outcome(), c.Reason))
	}
	r.add(control)
	for _, c := range cards(e) {
		suite := r.suite(c.Name)
		for _, clause := range c.Clauses {
			r.judged(&suite, string(clause.ID), clause.Title, harness.CheckResult{Verdict: clause.Verdict, Reason: clause.Reason, Known: clause.Known}, clause.Checks)
		}
		r.add(suite)
	}
	r.invariants()
	r.thresholds()
	r.known()
	if _, err := io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	if err := r.out.WriteXML(w); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

type junitRun struct {
	e         harness.Evidence
	scenarios map[string]harness.ScenarioResult
	out       junit.Testsuites
}

func (r *junitRun) invariants() {
	if len(r.e.Invariants) == 0 {
		return
	}
	suite := r.suite("invariants")
	for _, i := range r.e.Invariants {
		r.judged(&suite, i.ID, i.Title, harness.CheckResult{Verdict: i.Verdict, Reason: i.Reason, Known: i.Known}, i.Checks)
	}
	r.add(suite)
}

func (r *junitRun) thresholds() {
	if len(r.e.NFRs) == 0 {
		return
	}
	suite := r.suite("thresholds")
	for _, n := range r.e.NFRs {
		tc := known(r.wholeCase(n.ID, n.Claim, n.Verdict, thresholdText(n)), harness.CheckResult{Known: n.Known})
		tc.Time = seconds(time.Duration(n.DurationMS) * time.Millisecond)
		suite.AddTestcase(tc)
	}
	r.add(suite)
}

// known has a case for each known failure that did not fail as it should.
func (r *junitRun) known() {
	suite := r.suite("known failures")
	for _, k := range r.e.Known {
		switch {
		case k.Counts:
			suite.AddTestcase(r.wholeCase(k.String(), "known failure still fails", harness.Fail, k.Text))
		case !k.Failed:
			suite.AddTestcase(r.wholeCase(k.String(), "known failure still fails", harness.NotVerified, k.Text))
		}
	}
	if len(suite.Testcases) > 0 {
		r.add(suite)
	}
}

func (r *junitRun) suite(name string) junit.Testsuite {
	e := r.e
	s := junit.Testsuite{Name: name, ID: len(r.out.Suites), Package: "oncecheck"}
	s.SetTimestamp(e.Run.Started.UTC())
	for _, p := range [][2]string{
		{"run", e.Run.ID}, {"seed", strconv.FormatUint(e.Run.Seed, 10)}, {"lane", e.Run.Lane},
		{"target", e.Target.Name}, {"dialect", e.Target.Dialect.Name}, {"control", e.Run.Control.Outcome.String()},
		{"suite", e.Run.Suite.Version}, {"repeat", e.Run.Repeat},
	} {
		s.AddProperty(p[0], oneLine(p[1]))
	}
	return s
}

// add finishes a suite: its time is that of the distinct experiments behind it.
func (r *junitRun) add(s junit.Testsuite) {
	var total time.Duration
	seen := map[string]bool{}
	for _, c := range s.Testcases {
		_, scenario, _ := strings.Cut(c.Name, " @ ")
		if !seen[scenario] {
			seen[scenario] = true
			total += time.Duration(r.scenarios[scenario].DurationMS) * time.Millisecond
		}
	}
	s.Time = seconds(total)
	r.out.AddSuite(s)
}

// judged adds the cases of one clause or invariant. If its verdict is not that
// of any of its checks (a required check never ran), the verdict gets a case of
// its own: otherwise the passes of the others would stand alone.
func (r *junitRun) judged(suite *junit.Testsuite, id, title string, whole harness.CheckResult, checks []harness.CheckResult) {
	shown := false
	for _, c := range checks {
		shown = shown || c.Verdict == whole.Verdict
		suite.AddTestcase(r.checkCase(id, c))
	}
	if !shown {
		suite.AddTestcase(known(r.wholeCase(id, title, whole.Verdict, whole.Reason), whole))
	}
}

// known turns the case of a known failure into a skipped one.
func known(tc junit.Testcase, c harness.CheckResult) junit.Testcase {
	if c.Known != nil && tc.Failure != nil {
		tc.Skipped = &junit.Result{Message: "known failure: " + knownText(*c.Known) + ": " + tc.Failure.Message}
		tc.Failure = nil
	}
	return tc
}

func (r *junitRun) checkCase(id string, c harness.CheckResult) junit.Testcase {
	s := r.scenarios[c.Scenario]
	var detail strings.Builder
	for _, f := range []struct{ name, value string }{
		{"expected", c.Expected}, {"observed", c.Observed}, {"scenario", c.Scenario},
		{"faults", strings.Join(faultNames(s), " ")}, {"seed", strconv.FormatUint(r.e.Run.Seed, 10)},
	} {
		if f.value != "" {
			fmt.Fprintf(&detail, "%s: %s\n", f.name, oneLine(f.value))
		}
	}
	for _, w := range c.Witness {
		fmt.Fprintf(&detail, "witness #%d: %s\n", w.Seq, oneLine(w.Text))
	}
	if c.Repeat != "" {
		fmt.Fprintf(&detail, "repeat: %s\n", oneLine(c.Repeat))
	}
	tc := known(junitCase(id, c.Name+" @ "+c.Scenario, c.Verdict, c.Reason, detail.String()), c)
	tc.Time = seconds(time.Duration(s.DurationMS) * time.Millisecond)
	return tc
}

func (r *junitRun) wholeCase(id, title string, verdict harness.Outcome, reason string) junit.Testcase {
	tc := junitCase(id, oneLine(title), verdict, reason, "")
	tc.Time = seconds(0)
	return tc
}

func junitCase(id, name string, verdict harness.Outcome, reason, detail string) junit.Testcase {
	tc := junit.Testcase{Classname: id, Name: oneLine(name), Status: verdict.String()}
	result := &junit.Result{Message: oneLine(reason), Type: verdict.String(), Data: printable(detail)}
	switch verdict {
	case harness.Pass:
	case harness.Fail:
		tc.Failure = result
	case harness.NotVerified, harness.NotApplicable:
		tc.Skipped = &junit.Result{Message: verdict.String() + ": " + result.Message}
	default:
		tc.Error = result
	}
	return tc
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// thresholdText states what a threshold claim rests on.
func thresholdText(n harness.NFRResult) string {
	if n.N == 0 {
		text := "nothing was measured in lane " + n.Lane // zero violations in zero tries bound nothing
		if n.Reason != "" {
			text += ": " + n.Reason
		}
		return text
	}
	text := fmt.Sprintf("%d violations in %d (lane %s), estimate %.6g, upper bound %.6g at confidence %.4g, threshold %.6g",
		n.Violations, n.N, n.Lane, n.Estimate, n.UpperBound, n.Confidence, n.Threshold)
	if n.Unit != "" {
		text = fmt.Sprintf("%d of %d above %g %s (lane %s), estimate %.6g %s, upper bound %.6g %s at confidence %.4g",
			n.Violations, n.N, n.Threshold, n.Unit, n.Lane, n.Estimate, n.Unit, n.UpperBound, n.Unit, n.Confidence)
	}
	if n.UpperBound == math.MaxFloat64 {
		text = fmt.Sprintf("%d measured (lane %s), and nothing bounds what they show", n.N, n.Lane)
	}
	if n.Planned > 0 && n.Planned != n.N {
		text += fmt.Sprintf(", planned %d", n.Planned)
	}
	if n.Verdict != harness.Pass && n.Reason != "" {
		text += "; " + n.Reason
	}
	return text
}
