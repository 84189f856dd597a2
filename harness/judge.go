package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Judge decides every check of the scenario on the history and applies the
// gates. It is pure: the same history gives the same verdicts, anywhere.
func Judge(s Scenario, h *History) []CheckResult {
	p := collect(h)
	results := make([]CheckResult, 0, len(s.Checks))
	for _, c := range s.Checks {
		v := Verdict{Outcome: NotVerified}
		if d := h.Header.Dialect; d.ObserveOnly && c.Clause != "" {
			v = Inapplicable("dialect " + d.Name + " assumes nothing of the target (observeOnly): only invariants are judged")
		} else if missing := c.missing(h.Header.Capabilities); len(missing) > 0 {
			v.Reason = missingReason(missing)
		} else {
			v = p.demote(h, c, judgeSafely(c, h))
		}
		results = append(results, CheckResult{
			Name: c.Name, Scenario: s.ID, Verdict: v.Outcome, Reason: v.Reason,
			Expected: v.Expected, Observed: v.Observed, Witness: witnesses(h, v.Witness), hint: v.Hint,
		})
	}
	return results
}

// judgeSafely makes a check that panics inconclusive.
func judgeSafely(c Check, h *History) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = Undecided(fmt.Sprintf("the check panicked: %v", p))
		}
	}()
	return c.Judge(h)
}

// judgeScenario judges what a planned scenario left in the run folder, and returns
// its history if it was the one to judge. Run holds the control of its target.
func judgeScenario(dir string, s Scenario, plan Plan, run RunInfo, after aftermath) (ScenarioResult, []CheckResult, *History) {
	scale := plan.scaleOf(s.ID)
	undecided := func(r ScenarioResult, reason string) (ScenarioResult, []CheckResult, *History) {
		r, checks := without(r, s, Undecided(reason))
		return r, checks, nil
	}
	result := ScenarioResult{Scale: scaleShown(scale), ID: s.ID, Title: s.Title, Attempts: attempts(dir, s.ID), Faults: []FaultResult{}, Repeat: run.repeatOnly(s.ID)}
	h, err := openWithAftermath(dir, s.ID, after)
	if err != nil {
		reason := err.Error()
		if isMissing(err) {
			result.Attempts = 0
			reason = "planned, but it left no history"
			if run.Control.Outcome != Pass {
				reason = "not run: " + run.Control.Reason
			}
		}
		return undecided(result, reason)
	}
	if h.Header.RunID != run.ID || h.Header.Scenario != s.ID {
		return undecided(result, fmt.Sprintf("the history belongs to run %s, scenario %s", h.Header.RunID, h.Header.Scenario))
	}
	if max(h.Header.Scale, 1) != scale {
		return undecided(result, fmt.Sprintf("the history says that times were divided by %v, the plan says by %v", h.Header.Scale, scale))
	}
	if plan.Planned(s.ID).Twin != slices.Contains(plan.Twins, h.Header.On) {
		return undecided(result, fmt.Sprintf("the history is of the target %q, on which the plan does not have it carried out", h.Header.On))
	}
	p := collect(h)
	result.On = h.Header.On
	result.History = filepath.ToSlash(filepath.Join("history", filepath.Base(HistoryFile(dir, s.ID))))
	result.DurationMS = p.duration.Milliseconds()
	result.Faults = append(result.Faults, p.faults...)
	for _, n := range p.overlap {
		result.Overlap = max(result.Overlap, n)
	}
	checks := Judge(s, h)
	verdicts := make([]Verdict, len(checks))
	for i, c := range checks {
		verdicts[i] = Verdict{Outcome: c.Verdict, Reason: c.Name + ": " + c.Reason}
		if c.Verdict == Fail || c.Verdict == Inconclusive {
			checks[i].Repeat = result.Repeat
		}
	}
	merged := tell(Merge(verdicts...), verdicts)
	result.Verdict, result.Reason = merged.Outcome, merged.Reason
	return result, checks, h
}

// without gives every check of a scenario that was not carried out the same
// verdict.
func without(r ScenarioResult, s Scenario, v Verdict) (ScenarioResult, []CheckResult) {
	r.Verdict, r.Reason = v.Outcome, v.Reason
	checks := make([]CheckResult, len(s.Checks))
	for i, c := range s.Checks {
		checks[i] = CheckResult{Name: c.Name, Scenario: s.ID, Verdict: v.Outcome, Reason: v.Reason, Witness: []Witness{}}
	}
	return r, checks
}

// JudgeRun judges a run folder: the plan and the histories decide everything,
// so that judging again, anywhere, gives the same evidence but for its time.
func JudgeRun(dir string, plan Plan, catalogue Catalogue, finished time.Time) (Evidence, error) {
	if _, err := os.Stat(dir); err != nil {
		return Evidence{}, fmt.Errorf("judge the run folder: %w", err)
	}
	run := plan.Run
	run.Finished = finished.UTC()
	run.Control = Undecided("the positive control left no history")
	if h, err := OpenHistory(HistoryFile(dir, ControlID)); err == nil {
		run.Control, run.Principals, run.Claims = JudgeControl(h), JudgePrincipals(h), append(JudgeClaims(h), plan.claimsOnTwins(dir)...)
		run.ControlNext, run.Hints = ControlNext(h), Hints(h)
	}
	scaled, twins := plan.judgeScaled(dir), plan.judgeTwins(dir)
	after, err := readAftermath(dir, run)
	if err != nil {
		return Evidence{}, fmt.Errorf("read the aftermath: %w", err)
	}
	run.WatchedMS = after.watched()
	e := Evidence{Schema: EvidenceSchema, Run: run, Target: plan.Target, Scaled: scaled, Twins: twins, NFRs: []NFRResult{}, NotProven: []NotProven{}, Effects: map[string]EffectTotals{}}
	j := joined{byClause: map[ClauseID][]judged{}, byInvariant: map[string][]judged{}}
	planned := map[string]Planned{}
	for _, p := range plan.Scenarios {
		planned[p.ID] = p
	}
	for _, s := range catalogue.Scenarios {
		p, known := planned[s.ID]
		result, checks := ScenarioResult{ID: s.ID, Title: s.Title, Faults: []FaultResult{}, Repeat: run.repeatOnly(s.ID)}, []CheckResult(nil)
		switch {
		case !known || !p.Selected:
			result, checks = without(result, s, Verdict{Outcome: NotVerified, Reason: "not selected in this run"})
		case p.Left() != "":
			result, checks = without(result, s, Verdict{Outcome: NotVerified, Reason: p.Left()})
		default:
			there, h := run, (*History)(nil)
			switch {
			case p.Scaled:
				there.Control = scaled.Control
			case p.Twin && run.Control.Outcome == Pass:
				there.Control = controlOf(twins)
			}
			if result, checks, h = judgeScenario(dir, s, plan, there, after); h != nil {
				reconcile(h, e.Effects)
				for _, found := range audit(s, h) {
					if failsInvariant(s, checks, found.invariant) {
						continue // its own checks say the same, and better
					}
					j.byInvariant[found.invariant] = append(j.byInvariant[found.invariant], judged{result: found.result})
				}
				if h.Err() != nil {
					return Evidence{}, h.Err()
				}
			}
		}
		e.Scenarios = append(e.Scenarios, result)
		for _, hint := range hinted(checks) {
			if !slices.Contains(e.Run.Hints, hint) {
				e.Run.Hints = append(e.Run.Hints, hint)
			}
		}
		j.add(s, p, plan.scaleOf(s.ID), plan.Target.Capabilities, checks)
	}
	e.addNFRs(dir, plan, catalogue, after, &j)
	j.orphans(run, plan, after)
	j.clauses(catalogue, &e)
	j.invariants(catalogue, &e)
	e.accept(plan)
	e.Run.Exit = e.ExitCode()
	return e, nil
}

func failsInvariant(s Scenario, results []CheckResult, invariant string) bool {
	for i, c := range s.Checks {
		if c.Invariant == invariant && results[i].Verdict == Fail {
			return true
		}
	}
	return false
}

func missingReason(missing []string) string {
	text := "the profile does not offer: "
	for i, m := range missing {
		if i > 0 {
			text += ", "
		}
		text += m
	}
	return text
}

// witnesses turns event numbers into lines that a reader understands without
// the history.
func witnesses(h *History, seqs []int64) []Witness {
	found := []Witness{}
	want := map[int64]bool{}
	for i, s := range seqs {
		if i < maxWitness {
			want[s] = true
		}
	}
	if len(want) == 0 {
		return found
	}
	for e := range h.Events() {
		if want[e.Seq] {
			found = append(found, Witness{Seq: e.Seq, Text: e.String()})
		}
	}
	return found
}

// maxWitness bounds how many events a verdict quotes.
const maxWitness = 12
