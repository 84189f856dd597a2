package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// alone is a scenario that has its target for itself for ten seconds, and notes when
// it began.
func alone(id string, begins *sync.Map) Scenario {
	s := oneOrder()
	drive := s.Drive
	s.ID, s.Exclusive, s.Checks[0].Clause = id, true, "C.2"
	s.Drive = func(ctx context.Context, s *Session) error {
		begins.Store(id, time.Now())
		if err := s.exclusively("disturb it"); err != nil {
			return err
		}
		<-time.After(10 * time.Second)
		return drive(ctx, s)
	}
	return s
}

// twinned carries a catalogue out on shops of one kind; the first is the target.
func twinned(t *testing.T, catalogue Catalogue, targets ...*Target) (Evidence, string, Plan) {
	t.Helper()
	first := targets[0]
	plan, err := NewPlan(RunInfo{ID: "run-1", Seed: 7, Lane: LaneFast, Repeat: "oncecheck run --seed 7"}, first.Info, catalogue, everything)
	if err != nil {
		t.Fatal(err)
	}
	var declared []TargetInfo
	for _, twin := range targets[1:] {
		first.Twins, declared = append(first.Twins, twin), append(declared, first.Info)
	}
	if err := plan.TwinWith(catalogue, declared...); err != nil {
		t.Fatal(err)
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
	return e, dir, plan
}

func TestWhatDisturbsATargetHasATwin(t *testing.T) {
	bubble(func(t *testing.T) {
		var begins sync.Map
		shops := []*shop{{}, {}, {}}
		catalogue := testCatalogue(oneOrder(), alone("x/a", &begins), alone("x/b", &begins), alone("x/c", &begins))
		catalogue.Invariants = append(catalogue.Invariants, Invariant{ID: "I6"})
		began := time.Now()
		e, dir, _ := twinned(t, catalogue, shopTarget(shops[0]), shopTarget(shops[1]), shopTarget(shops[2]))
		if e.Run.Exit != ExitGreen || len(e.Twins) != 2 || e.Twins[0].Control.Outcome != Pass || e.Invariants[1].Verdict != Pass {
			t.Errorf("exit %d, twins %+v, I6 %s", e.Run.Exit, e.Twins, e.Invariants[1].Verdict)
		}
		if took := time.Since(began); took > 30*time.Second { // three of ten seconds on two twins
			t.Errorf("took %s", took)
		}
		if n := len(shops[0].ledger); n != 4 { // three of the control, and one
			t.Errorf("%d orders on the first target", n)
		}
		if n := len(shops[1].ledger) + len(shops[2].ledger); n != 9 {
			t.Errorf("%d orders on the twins", n)
		}
		known := map[string]string{} // by what a target knows a request, and which target
		for _, id := range []string{ControlID, ControlID + "/twin-1", ControlID + "/twin-2", "x/one-order", "x/a", "x/b", "x/c"} {
			h, err := OpenHistory(HistoryFile(dir, id))
			if err != nil {
				t.Fatal(err)
			}
			for e := range h.Events() {
				if e.Type != Invoke {
					continue
				}
				for _, name := range []string{e.Request.Keys[0], e.Request.Reference, e.Request.CorrelationID, fmt.Sprint(e.Request.Amount)} {
					if on, other := known[name]; other && on != h.Header.On {
						t.Errorf("%s is known to two targets, %q and %q", name, on, h.Header.On)
					}
					known[name] = h.Header.On
				}
			}
		}
		for _, s := range e.Scenarios {
			h, err := OpenHistory(HistoryFile(dir, s.ID))
			if err != nil || h.Header.On != s.On || (s.On == "") != (s.ID == "x/one-order") || h.Header.Scale != 1 || h.Header.Control.Outcome != Pass {
				t.Errorf("%s on %q, its history on %q at %v: %v", s.ID, s.On, h.Header.On, h.Header.Scale, err)
			}
		}
	})(t)
}

// TestATwinNeedsItsOwnControl: which of them is free must not decide what is
// believed, so one that is not believed stops all.
func TestATwinNeedsItsOwnControl(t *testing.T) {
	bubble(func(t *testing.T) {
		var begins sync.Map
		broken := shopTarget(&shop{})
		broken.Probe = &shop{} // in which nothing is ever sold
		e, _, _ := twinned(t, testCatalogue(oneOrder(), alone("x/a", &begins)), shopTarget(&shop{}), shopTarget(&shop{}), broken)
		if c := e.Clauses[1]; c.Verdict != Inconclusive || !strings.Contains(c.Reason, "not run: the positive control of twin-2: ") {
			t.Errorf("%s: %s", c.Verdict, c.Reason)
		}
		if _, begun := begins.Load("x/a"); begun || e.Clauses[0].Verdict != Pass || e.Run.Exit != ExitInconclusive {
			t.Errorf("begun %t, the first target's clause %s, exit %d", begun, e.Clauses[0].Verdict, e.Run.Exit)
		}
	})(t)
}

// TestTwinsTryWhatActsOnProcesses: each its share of it, and what does not work there is
// told of the claim.
func TestTwinsTryWhatActsOnProcesses(t *testing.T) {
	for name, row := range map[string]struct {
		fails map[string]error
		works bool
		exit  int
	}{
		"it works":    {nil, true, ExitGreen},
		"it does not": {map[string]error{"pause": errors.New("it hangs")}, false, ExitInconclusive},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			var begins sync.Map
			var controls []*controlled
			var targets []*Target
			for range 3 {
				c, target := controlledTarget(row.fails)
				target.Info.Capabilities = append(target.Info.Capabilities, CapProcessPause, CapProcessKill, CapClock)
				controls, targets = append(controls, c), append(targets, target)
			}
			e, _, _ := twinned(t, testCatalogue(oneOrder(), alone("x/a", &begins), alone("x/b", &begins)), targets...)
			for i, want := range []string{"clock", "pause", "kill"} {
				told := strings.Join(controls[i].told, " ")
				for _, act := range []string{"clock", "pause", "kill"} {
					if strings.Contains(told, act) != (act == want) {
						t.Errorf("target %d was told %q, want of these %s", i, told, want)
					}
				}
			}
			tried := map[string]bool{}
			for _, c := range e.Run.Claims {
				tried[c.Name] = c.Works
			}
			if want := map[string]bool{"clock": true, "process-pause": row.works, "process-kill": true}; !maps.Equal(tried, want) || e.Run.Exit != row.exit {
				t.Errorf("claims %v, want %v; exit %d, want %d", tried, want, e.Run.Exit, row.exit)
			}
		}))
	}
}

// TestATwinsLedgerIsWatched: a late effect, one without a cause, and a ledger that
// was not read again count on the target where they are, and on no other.
func TestATwinsLedgerIsWatched(t *testing.T) {
	for name, row := range map[string]struct {
		reference func(string) string
		clause    Outcome
		orphans   Outcome
		exit      int
	}{
		"an effect of the same cart": {func(cart string) string { return cart }, Fail, Pass, ExitFail},
		"one of nobody's cart":       {func(string) string { return "unheard-of" }, Pass, Inconclusive, ExitInconclusive},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			late := &lateShop{reference: row.reference}
			twin := shopTarget(&late.shop)
			twin.Sender, twin.Probe = late, late
			var begins sync.Map
			catalogue := testCatalogue(oneOrder(), alone("x/a", &begins))
			catalogue.Invariants = []Invariant{{ID: "I6"}}
			e, dir, plan := twinned(t, catalogue, shopTarget(&shop{}), twin)
			if e.Clauses[0].Verdict != Pass || e.Clauses[1].Verdict != row.clause || e.Invariants[0].Verdict != row.orphans || e.Run.Exit != row.exit {
				t.Errorf("clauses %s and %s, I6 %s, exit %d", e.Clauses[0].Verdict, e.Clauses[1].Verdict, e.Invariants[0].Verdict, e.Run.Exit)
			}
			if err := os.Remove(HistoryFile(dir, AftermathID+"/twin-1")); err != nil {
				t.Fatal(err)
			}
			e, err := JudgeRun(dir, plan, catalogue, time.Now())
			if err != nil || e.Clauses[0].Verdict != Pass || e.Clauses[1].Verdict != Inconclusive || e.Invariants[0].Verdict == Pass {
				t.Errorf("not read again: %s and %s, I6 %s, %v", e.Clauses[0].Verdict, e.Clauses[1].Verdict, e.Invariants[0].Verdict, err)
			}
		}))
	}
}

// TestTheTwinIsThePlans: a history cannot say on which target it was recorded
// otherwise than the plan.
func TestTheTwinIsThePlans(t *testing.T) {
	bubble(func(t *testing.T) {
		var begins sync.Map
		catalogue := testCatalogue(oneOrder(), alone("x/a", &begins))
		_, dir, plan := twinned(t, catalogue, shopTarget(&shop{}), shopTarget(&shop{}))
		file := HistoryFile(dir, "x/a")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"on":"twin-1"`, `"on":"twin-9"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := JudgeRun(dir, plan, catalogue, time.Now())
		if c := e.Clauses[1]; err != nil || c.Verdict != Inconclusive || !strings.Contains(c.Reason, `the target "twin-9"`) {
			t.Errorf("%s: %s, %v", c.Verdict, c.Reason, err)
		}
	})(t)
}

func TestTwinsAreWantedWhereTheyHelp(t *testing.T) {
	var begins sync.Map
	long := longOrder()
	long.Exclusive = true
	for name, row := range map[string]struct {
		scenarios []Scenario
		want      int
	}{
		"nothing disturbs":         {[]Scenario{oneOrder()}, 0},
		"it is all there is":       {[]Scenario{alone("x/a", &begins)}, 0},
		"beside another":           {[]Scenario{oneOrder(), alone("x/a", &begins)}, 1},
		"several":                  {[]Scenario{alone("x/a", &begins), alone("x/b", &begins)}, 2},
		"more than that":           {[]Scenario{alone("x/a", &begins), alone("x/b", &begins), alone("x/c", &begins), alone("x/d", &begins)}, MaxTwins},
		"it takes too long anyway": {[]Scenario{oneOrder(), long}, 0},
	} {
		catalogue := testCatalogue(row.scenarios...)
		plan, err := NewPlan(RunInfo{Lane: LaneFast}, shopTarget(&shop{}).Info, catalogue, everything)
		if got := plan.WantsTwins(catalogue); err != nil || got != row.want {
			t.Errorf("%s: %d twins, want %d, %v", name, got, row.want, err)
		}
	}
}

func TestATwinIsOfOneKind(t *testing.T) {
	first := shopTarget(&shop{}).Info
	for name, row := range map[string]struct {
		change func(*TargetInfo)
		says   string
	}{
		"the same":                          {func(*TargetInfo) {}, ""},
		"at other addresses":                {func(t *TargetInfo) { t.ProfileSHA256 = "another" }, ""},
		"with a shorter deadline":           {func(t *TargetInfo) { t.Policy.Checkout.Deadline /= 2 }, "twin-1 declares another Policy"},
		"that offers less":                  {func(t *TargetInfo) { t.Capabilities = nil }, "another Capabilities"},
		"with another ledger for a success": {func(t *TargetInfo) { t.PerSuccess = nil }, "another PerSuccess"},
	} {
		plan, err := NewPlan(RunInfo{Lane: LaneFast}, first, testCatalogue(oneOrder()), everything)
		if err != nil {
			t.Fatal(err)
		}
		twin := first
		row.change(&twin)
		err = plan.TwinWith(testCatalogue(oneOrder()), twin)
		if row.says == "" && (err != nil || len(plan.Twins) != 1) || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
}
