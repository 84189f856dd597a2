package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func catalogue(t *testing.T) harness.Catalogue {
	t.Helper()
	c, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRegister(t *testing.T) {
	c := catalogue(t)
	if len(c.Clauses) != 314 {
		t.Errorf("%d clauses, want 314", len(c.Clauses))
	}
	levels := map[string]int{}
	for _, clause := range c.Clauses {
		levels[clause.Level]++
		if clause.Title == "" || clause.Check == "" || len(clause.Needs) == 0 {
			t.Errorf("%s misses its statement, check or needs", clause.ID)
		}
	}
	if levels["must"] != 280 {
		t.Errorf("%d must clauses, want 280", levels["must"])
	}
}

func TestRegisterRefusesBrokenTables(t *testing.T) {
	const head = "id\tlevel\tstrength\tstatement\tcheck\tneeds\tbugs\n"
	for name, table := range map[string]string{
		"a column short": head + "A.1\tmust\tliteral\tx\ty\tcheckout\n",
		"twice":          head + "A.1\tmust\tliteral\tx\ty\tcheckout\tz\nA.1\tmust\tliteral\tx\ty\tcheckout\tz\n",
	} {
		if _, err := register(table); err == nil || !strings.Contains(err.Error(), "line") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestScenarios holds what every scenario promises to the reports.
func TestScenarios(t *testing.T) {
	c := catalogue(t)
	id := regexp.MustCompile(`^(idempotency|retry|status|client|gateway|validation|auth|retention|flag|deadline|unknown-outcome|audit|interface|redaction|instances|disconnect|crash|store)/[a-z0-9-]+$`)
	known := map[harness.ClauseID]bool{}
	for _, clause := range c.Clauses {
		known[clause.ID] = true
	}
	var invariants []string
	for _, i := range c.Invariants {
		invariants = append(invariants, i.ID)
	}
	seen := map[string]bool{}
	for _, s := range c.Scenarios {
		if !id.MatchString(s.ID) || seen[s.ID] {
			t.Errorf("scenario id %q is malformed or taken", s.ID)
		}
		seen[s.ID] = true
		if s.Title == "" || s.Drive == nil || len(s.Checks) == 0 || !slices.Contains(s.Needs, "checkout") && !slices.Contains(s.Needs, "dependency") {
			t.Errorf("%s lacks a title, a drive, checks or the need of checkout or dependency", s.ID)
		}
		for _, k := range s.Checks {
			switch {
			case k.Name == "" || k.Judge == nil:
				t.Errorf("%s has a check without name or judge", s.ID)
			case k.Clause == "" && k.Invariant == "":
				t.Errorf("%s/%s decides nothing", s.ID, k.Name)
			case k.Clause != "" && !known[k.Clause]:
				t.Errorf("%s/%s decides the unknown clause %s", s.ID, k.Name, k.Clause)
			case k.Invariant != "" && !slices.Contains(invariants, k.Invariant):
				t.Errorf("%s/%s decides the unknown invariant %s", s.ID, k.Name, k.Invariant)
			}
		}
	}
}

// TestChecksDecideNothingFromNothing: no check may pass or fail on an empty
// history.
func TestChecksDecideNothingFromNothing(t *testing.T) {
	for _, s := range catalogue(t).Scenarios {
		for _, k := range s.Checks {
			if v := k.Judge(harness.NewHistory(harness.Header{Scenario: s.ID})); v.Outcome == harness.Pass || v.Outcome == harness.Fail {
				t.Errorf("%s/%s judges an empty history as %s", s.ID, k.Name, v.Outcome)
			}
		}
	}
}

// TestClausesNeedNoMoreThanTheRegisterAsks: a clause whose required checks need
// a capability that the register does not ask for could never be proven by a
// target that offers all that is asked. Such checks have to be supplements.
func TestClausesNeedNoMoreThanTheRegisterAsks(t *testing.T) {
	c := catalogue(t)
	// decline is part of checkout in the register: a customer can always be declined.
	// And what is said of an API, its callers and its stored results can be seen
	// through an API operation only.
	extra := []harness.Capability{harness.CapDecline, harness.CapGateway}
	// A fallback that is counted has to be made first, and a lookup can be delayed only
	// where the client can be told whom to ask: the register says so in the row's check.
	implied := map[harness.ClauseID][]harness.Capability{"SRS-RES-001.80": {harness.CapFallbackSeed}, "SRS-RES-001.03": {harness.CapResolver},
		// What these rows' checks ask to be done is a capability of its own here.
		"SRS-CHK-001.22": {harness.CapRefreshed}, "SRS-CHK-001.28": {harness.CapDependencies}, "SRS-CHK-001.30": {harness.CapSecondOperation},
		"SRS-CHK-001.51": {harness.CapStoreLoss, harness.CapDependencies, harness.CapEffects},
		"SRS-CHK-001.13": {harness.CapFields}, "SRS-CHK-001.14": {harness.CapFields}, "SRS-CHK-001.15": {harness.CapFields}, "SRS-CHK-001.57": {harness.CapFields},
		"SRS-CHK-IF.06": {harness.CapDependencies}, "SRS-CHK-IF.07": {harness.CapDependencies}, "SRS-CHK-SEC.01": {harness.CapStatus},
		"SRS-CHK-SEC.06": {harness.CapKeyFlag}, "SRS-CHK-SEC.07": {harness.CapKeyFlag}, "SRS-CHK-SEC.08": {harness.CapKeyFlag},
		"SRS-CHK-002.06": {harness.CapRefusals}, "SRS-CHK-002.08": {harness.CapKeyless}, "SRS-CHK-002.23": {harness.CapKeyless}, "SRS-CHK-002.18": {harness.CapDependencies, harness.CapStoredRecord},
		"SRS-RES-001.88": {harness.CapResilienceFlag},
		// When a process died shows at a payment that was held; a payment whose outcome
		// stays unknown takes one, too, and an effect is counted where it is.
		"SRS-CHK-002.16": {harness.CapDependencies}, "SRS-CHK-002.20": {harness.CapDependencies}, "SRS-CHK-003.11": {harness.CapDependencies},
		"SRS-CHK-001.49": {harness.CapEffects},
		// A support role reads a status, what a dependency says and when it fails shows at
		// a dependency, and a canary goes where the profile says a token goes.
		"SRS-CHK-003.02": {harness.CapStatus}, "SRS-CHK-003.05": {harness.CapDependencies}, "SRS-CHK-003.15": {harness.CapOtherRole},
		"SRS-CHK-003.06": {harness.CapFields}, "SRS-CHK-SEC.03": {harness.CapFields}, "SRS-CHK-SEC.04": {harness.CapFields, harness.CapDependencies},
		"SRS-CHK-IF.05": {harness.CapStoredRecord, harness.CapDependencies}, "SRS-CHK-003.12": {harness.CapDependencies}, // that a status keeps up shows where one changes
		"SRS-CHK-001.37": {harness.CapFields}, "SRS-CHK-001.40": {harness.CapOptionalField}, "SRS-CHK-001.53": {harness.CapLargeAnswer}, "SRS-CHK-SEC.02": {harness.CapStatus}}
	for _, clause := range c.Clauses {
		have := append(slices.Clone(extra), implied[clause.ID]...)
		for _, need := range clause.Needs {
			for _, alternative := range strings.Split(need, "|") {
				have = append(have, harness.Capability(alternative))
			}
		}
		for _, s := range c.Scenarios {
			for _, k := range s.Checks {
				if k.Clause != clause.ID || k.Supplement {
					continue
				}
				needs := append(append(harness.Needs{}, s.Needs...), k.Needs...)
				if k.Gates.Effects {
					needs = append(needs, string(harness.CapEffects))
				}
				if missing := needs.Missing(have); len(missing) > 0 {
					t.Errorf("%s/%s needs %v beyond what the register asks of %s", s.ID, k.Name, missing, clause.ID)
				}
			}
		}
	}
}
