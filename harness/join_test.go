package harness

import "testing"

// TestNothingIsProvenByTheAftermath: that no stray effect came after nothing was
// done needs no target that works.
func TestNothingIsProvenByTheAftermath(t *testing.T) {
	needy := oneOrder()
	needy.ID, needy.Needs = "x/needy", Needs{"clock"}
	for name, row := range map[string]struct {
		scenarios []Scenario
		exit      int
	}{
		"a scenario passes":       {[]Scenario{oneOrder(), needy}, ExitGreen},
		"none can be carried out": {[]Scenario{needy}, ExitInconclusive},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			catalogue := testCatalogue(row.scenarios...)
			catalogue.Invariants = append(catalogue.Invariants, Invariant{ID: "I6"})
			e, _ := run(t, shopTarget(&shop{}), catalogue, everything)
			if e.Invariants[1].Verdict != Pass {
				t.Fatalf("I6: %s (%s), want what passes without a scenario", e.Invariants[1].Verdict, e.Invariants[1].Reason)
			}
			if e.Run.Exit != row.exit || e.Proved() != (row.exit == ExitGreen) {
				t.Errorf("exit %d, proved %t, want %d", e.Run.Exit, e.Proved(), row.exit)
			}
		}))
	}
}

// TestWhatAFrameworkMayFilterProvesNoClaim: the plan selects all, and the test
// framework runs one.
func TestWhatAFrameworkMayFilterProvesNoClaim(t *testing.T) {
	needy := oneOrder()
	needy.Needs = append(needy.Needs, "process-pause")
	for _, filtered := range []bool{false, true} {
		_, target := claimingTarget(nil, CapProcessPause)
		plan, err := NewPlan(RunInfo{ID: "run-1"}, target.Info, testCatalogue(needy), everything)
		if err != nil {
			t.Fatal(err)
		}
		plan.Filtered = filtered
		if got := plan.proves(CapProcessPause); got == filtered {
			t.Errorf("filtered %t: the plan proves the claim: %t", filtered, got)
		}
	}
}
