package harness

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// longOrder is a scenario that takes twice the deadline.
func longOrder() Scenario {
	s := oneOrder()
	s.ID = "x/long"
	s.Checks[0].Clause = "C.2"
	s.Long = func(p Policy) time.Duration { return 2 * p.Checkout.Deadline.Std() }
	return s
}

// scaledTarget is the shop a second time, with its times divided.
func scaledTarget(s *shop, by float64) *Target {
	t := shopTarget(s)
	t.Info.Policy = t.Info.Policy.Scaled(by)
	return t
}

func runBeside(t *testing.T, first, second *Target, lane string) (Evidence, string) {
	t.Helper()
	catalogue := testCatalogue(oneOrder(), longOrder())
	plan, err := NewPlan(RunInfo{ID: "run-1", Seed: 7, Lane: lane, Repeat: "oncecheck run --seed 7"}, first.Info, catalogue, everything)
	if err != nil {
		t.Fatal(err)
	}
	if second != nil {
		if err := plan.Beside(FastScale, second.Info, catalogue); err != nil {
			t.Fatal(err)
		}
		first.Scaled = second
	}
	dir := t.TempDir()
	r, err := NewRunner(t.Context(), first, plan, dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Run(t.Context(), r, catalogue, Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	return e, dir
}

func TestWhatTakesTooLongIsNotVerified(t *testing.T) {
	bubble(func(t *testing.T) {
		s := &shop{}
		e, _ := runBeside(t, shopTarget(s), nil, LaneFast)
		c := e.Clauses[1]
		if c.Verdict != NotVerified || !strings.Contains(c.Reason, "takes about 1m0s") || !strings.Contains(c.Reason, "--lane spec") || c.Scale != 1 {
			t.Errorf("%s at %v: %s", c.Verdict, c.Scale, c.Reason)
		}
		if e.Clauses[0].Verdict != Pass || e.Run.Exit != ExitGreen || e.Scaled != nil {
			t.Errorf("the other clause %s, exit %d, second target %v", e.Clauses[0].Verdict, e.Run.Exit, e.Scaled)
		}
	})(t)
}

func TestTheLaneSpecRunsItAtTheTrueNumbers(t *testing.T) {
	bubble(func(t *testing.T) {
		e, _ := runBeside(t, shopTarget(&shop{}), nil, LaneSpec)
		if c := e.Clauses[1]; c.Verdict != Pass || c.Scale != 1 {
			t.Errorf("%s at %v: %s", c.Verdict, c.Scale, c.Reason)
		}
	})(t)
}

func TestWhatTakesTooLongGoesToTheSecondTarget(t *testing.T) {
	bubble(func(t *testing.T) {
		one, other := &shop{}, &shop{}
		e, dir := runBeside(t, shopTarget(one), scaledTarget(other, FastScale), LaneFast)
		c := e.Clauses[1]
		if c.Verdict != Pass || c.Scale != FastScale || !strings.Contains(c.Reason, fmt.Sprint("divided by ", FastScale)) {
			t.Errorf("%s at %v: %s", c.Verdict, c.Scale, c.Reason)
		}
		if e.Clauses[0].Scale != 1 || e.Scenarios[0].Scale != 0 || e.Scenarios[1].Scale != FastScale {
			t.Errorf("scales %v, %v, %v", e.Clauses[0].Scale, e.Scenarios[0].Scale, e.Scenarios[1].Scale)
		}
		if e.Scaled == nil || e.Scaled.Control.Outcome != Pass || e.Scaled.Policy.Checkout.Deadline.Std() != 30*time.Second/FastScale {
			t.Errorf("the second target: %+v", e.Scaled)
		}
		if len(one.ledger) != 4 || len(other.ledger) != 4 { // three of each control, and one
			t.Errorf("%d and %d orders", len(one.ledger), len(other.ledger))
		}
		if e.Run.Exit != ExitGreen {
			t.Errorf("exit %d", e.Run.Exit)
		}
		h, err := OpenHistory(HistoryFile(dir, "x/long"))
		if err != nil || h.Header.Scale != FastScale || h.Header.Policy.Checkout.Deadline.Std() != 30*time.Second/FastScale {
			t.Errorf("the history: %+v, %v", h, err)
		}
	})(t)
}

func TestASecondTargetNeedsItsOwnControl(t *testing.T) {
	bubble(func(t *testing.T) {
		other := scaledTarget(&shop{}, FastScale)
		other.Info.PerSuccess = map[string]int{"order": 2} // its probe shows one
		e, _ := runBeside(t, shopTarget(&shop{}), other, LaneFast)
		if c := e.Clauses[1]; c.Verdict != Inconclusive || !strings.Contains(c.Reason, "not run") {
			t.Errorf("%s: %s", c.Verdict, c.Reason)
		}
		if e.Clauses[0].Verdict != Pass || e.Scaled.Control.Outcome == Pass || e.Run.Exit != ExitInconclusive {
			t.Errorf("the first target's clause %s, the second's control %s, exit %d", e.Clauses[0].Verdict, e.Scaled.Control.Outcome, e.Run.Exit)
		}
	})(t)
}

// TestTheScaleIsThePlans: a history cannot say that its times were divided, nor
// that they were not.
func TestTheScaleIsThePlans(t *testing.T) {
	bubble(func(t *testing.T) {
		_, dir := runBeside(t, shopTarget(&shop{}), scaledTarget(&shop{}, FastScale), LaneFast)
		file := HistoryFile(dir, "x/long")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), fmt.Sprintf(`"scale":%d`, FastScale), `"scale":12`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		plan, err := ReadPlan(dir)
		if err != nil {
			t.Fatal(err)
		}
		e, err := JudgeRun(dir, plan, testCatalogue(oneOrder(), longOrder()), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if c := e.Clauses[1]; c.Verdict != Inconclusive || !strings.Contains(c.Reason, "divided by 12") {
			t.Errorf("%s: %s", c.Verdict, c.Reason)
		}
	})(t)
}

func TestASecondTargetIsTheSameSystem(t *testing.T) {
	catalogue := testCatalogue(longOrder())
	first := shopTarget(&shop{}).Info
	for name, row := range map[string]struct {
		scale  float64
		change func(*TargetInfo)
		says   string
	}{
		"the same":             {6, func(*TargetInfo) {}, ""},
		"rounded as a profile": {6, func(t *TargetInfo) { t.Policy.Client.Read += 1000 }, ""},
		"no scale":             {1, func(*TargetInfo) {}, "wanted more than 1"},
		"a shorter deadline":   {6, func(t *TargetInfo) { t.Policy.Checkout.Deadline /= 2 }, "2.5s where the first one's policy divided by 6 is 5s"},
		"more attempts":        {6, func(t *TargetInfo) { t.Policy.Checkout.Attempts++ }, "attempts"},
	} {
		plan, err := NewPlan(RunInfo{Lane: LaneFast}, first, catalogue, everything)
		if err != nil {
			t.Fatal(err)
		}
		second := first
		second.Policy = first.Policy.Scaled(6)
		row.change(&second)
		err = plan.Beside(row.scale, second, catalogue)
		if row.says == "" && (err != nil || plan.WantsScaled() || !plan.Scenarios[0].Runs()) {
			t.Errorf("%s: %v", name, err)
		}
		if row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
}

// TestAPolicyThatIsDeclaredScalesNothing: what a profile says is compared with the
// requirement as it is, unless we divided the times ourselves.
func TestAPolicyThatIsDeclaredScalesNothing(t *testing.T) {
	declared := Header{Policy: RequiredPolicy().Scaled(6), Scale: 1}
	if got := declared.Required(); got != RequiredPolicy() {
		t.Errorf("%+v", got)
	}
	ours := Header{Scale: 6}
	if got := ours.Required().Checkout.Deadline.Std().Round(time.Millisecond); got != 5*time.Second {
		t.Errorf("%s", got)
	}
	if declared.Tolerance(500*time.Millisecond) != 500*time.Millisecond || ours.Tolerance(500*time.Millisecond) != TimeTolerance {
		t.Errorf("tolerances %s and %s", declared.Tolerance(500*time.Millisecond), ours.Tolerance(500*time.Millisecond))
	}
}
