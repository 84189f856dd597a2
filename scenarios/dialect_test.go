package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/oncecheck/oncecheck/harness"
)

// asked is a dialect in which nothing is excluded.
func asked() harness.Dialect {
	of := func(code string, statuses ...int) harness.Refusal {
		return harness.Refusal{Statuses: statuses, Code: code}
	}
	return harness.Dialect{
		Name: "asked", KeySyntax: "raw", KeyMin: 1, KeyMax: 128, DuplicateHeader: "reject",
		Missing: harness.MissingKey{Refusal: of("", 400)}, Malformed: of("", 400), Precedence: "mismatch",
		Mismatch: harness.Mismatch{Mode: "refuse", Refusal: of("CONFLICT", 409)}, InProgress: harness.InProgress{Mode: "refuse", Refusal: of("BUSY", 409), RetryAfter: true},
		Store: "terminal", ReplayBody: "original", Scope: []string{"tenant", "principal", "operation", "version"},
		Fingerprint: "semantic", RetryableFailure: "resume", Pending: of("", 202), Declined: of("", 402),
		ErrorFormat: "srs", StoreDown: of("", 503),
	}
}

// TestKnobsExcludeClauses: which clauses a knob excludes is decided by the
// dialect alone, before anything is sent, and no invariant is ever among them.
func TestKnobsExcludeClauses(t *testing.T) {
	const cards, of422 = "SRS-CHK-001.", "SRS-CHK-001.54" // that clause is about another dialect, see TestConflict422
	for _, row := range []struct {
		name string
		turn func(*harness.Dialect)
		want string // the last parts of the clauses
	}{
		{"nothing", func(*harness.Dialect) {}, ""},
		{"missing: execute", func(d *harness.Dialect) { d.Missing = harness.MissingKey{Execute: true} }, "01 06 09 SRS-CHK-SEC.07"},
		{"no status for malformed keys", func(d *harness.Dialect) { d.Malformed = harness.Refusal{} }, "04 05 06 07 10"},
		{"no longest key", func(d *harness.Dialect) { d.KeyMax = 0 }, "03 04"},
		{"mismatch: replay", func(d *harness.Dialect) { d.Mismatch = harness.Mismatch{Mode: "replay"} }, "03 23 24 34 35 36 37 40 46"},
		{"mismatch: replay, long keys", func(d *harness.Dialect) { d.Mismatch, d.KeyMin = harness.Mismatch{Mode: "replay"}, 36 }, "23 24 34 35 36 37 40 46"},
		{"mismatch: execute, long keys", func(d *harness.Dialect) { d.Mismatch, d.KeyMin = harness.Mismatch{Mode: "execute"}, 36 }, "23 24 34 35 36 37 40 46"},
		{"fingerprint: none", func(d *harness.Dialect) { d.Fingerprint = "none" }, "23 24 34 35 36 37 38 40 46"},
		{"inProgress: wait", func(d *harness.Dialect) { d.InProgress = harness.InProgress{Mode: "wait"} }, "42 43"},
		{"inProgress: no guidance", func(d *harness.Dialect) { d.InProgress.RetryAfter = false }, "43"},
		{"precedence: in-progress", func(d *harness.Dialect) { d.Precedence = "in-progress" }, "23 46"},
		{"fingerprint: bytes", func(d *harness.Dialect) { d.Fingerprint = "bytes" }, "38"},
		{"keys of one length", func(d *harness.Dialect) { d.KeyMin, d.KeyMax = 36, 36 }, "08 21 55"},
		{"replayBody: current", func(d *harness.Dialect) { d.ReplayBody = "current" }, "26 30"},
		{"store: 2xx", func(d *harness.Dialect) { d.Store = "2xx" }, "28 29 33 SRS-CHK-002.16"},
		{"no status for a decline", func(d *harness.Dialect) { d.Declined = harness.Refusal{} }, "28 29 33 SRS-CHK-002.16 SRS-CHK-002.27"},
		{"no status for what is pending", func(d *harness.Dialect) { d.Pending = harness.Refusal{} }, "SRS-CHK-002.20 SRS-CHK-002.22 SRS-CHK-002.25 SRS-CHK-003.11 SRS-CHK-IF.07"},
		{"scope: tenant", func(d *harness.Dialect) { d.Scope = []string{"tenant"} }, "18 19 20"},
		{"scope: none", func(d *harness.Dialect) { d.Scope = nil }, "17 18 19 20 21"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := asked()
			row.turn(&d)
			excluded := map[string]bool{}
			for _, s := range catalogue(t).Scenarios {
				for _, k := range s.Checks {
					v := k.Judge(harness.NewHistory(harness.Header{Scenario: s.ID, Dialect: d}))
					switch {
					case v.Outcome == harness.Inconclusive:
					case v.Outcome != harness.NotApplicable || k.Invariant != "":
						t.Errorf("%s/%s of nothing is %s: %s", s.ID, k.Name, v.Outcome, v.Reason)
					case !strings.Contains(v.Reason, "asked") || !strings.Contains(v.Reason, "("):
						t.Errorf("%s/%s names no knob: %s", s.ID, k.Name, v.Reason)
					case !k.Supplement && k.Clause != of422:
						excluded[strings.TrimPrefix(string(k.Clause), cards)] = true
					}
				}
			}
			var got []string
			for c := range excluded {
				got = append(got, c)
			}
			slices.Sort(got)
			if text := strings.Join(got, " "); text != row.want {
				t.Errorf("excludes %q, want %q", text, row.want)
			}
		})
	}
}

// counter is a target in memory that does what its dialect says of keys.
type counter struct {
	mu      sync.Mutex
	dialect harness.Dialect
	known   map[string]known
	ledger  []harness.Effect
	lines   map[string]bool // header lines seen
}

type known struct {
	body   string
	answer harness.Answer
}

func (c *counter) Send(_ context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body := fmt.Sprint(a.Vars["cart"], a.Vars["amount"])
	sent := harness.Request{BodySHA256: body}
	key, ok := c.key(a.Keys)
	if !ok {
		return sent, harness.Answer{Status: 400, BodySHA256: "bad key"}, nil
	}
	if k, used := c.known[key]; used {
		if k.body != body {
			return sent, harness.Answer{Status: 409, Code: "CONFLICT", BodySHA256: "conflict"}, nil
		}
		return sent, k.answer, nil
	}
	id := fmt.Sprint("o", len(c.ledger)+1)
	c.ledger = append(c.ledger, harness.Effect{Seq: int64(len(c.ledger) + 1), Kind: "order", ID: id, Reference: a.Vars["cart"].(string)})
	c.known[key] = known{body, harness.Answer{Status: 201, JSON: true, OrderID: id, RequestID: id, BodySHA256: id}}
	return sent, c.known[key].answer, nil
}

// key reads the header as the dialect says.
func (c *counter) key(lines []string) (string, bool) {
	for _, line := range lines {
		c.lines[line] = true
	}
	if len(lines) != 1 && c.dialect.DuplicateHeader != "first" || len(lines) == 0 {
		return "", false
	}
	key, ok := c.dialect.KeyOf(lines[0])
	return key, ok && len(key) >= c.dialect.KeyMin && (c.dialect.KeyMax == 0 || len(key) <= c.dialect.KeyMax)
}

func (c *counter) Effects(_ context.Context, since int64) ([]harness.Effect, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ledger[since:]), nil
}

// TestKeyScenariosSpeakTheDialect: a target that does what its dialect says
// passes the key scenarios, however keys are written there.
func TestKeyScenariosSpeakTheDialect(t *testing.T) {
	for _, row := range []struct {
		name    string
		turn    func(*harness.Dialect)
		clauses [3]harness.Outcome // .03, .04, .10
		not     string             // of .05, .06, .07, .08 and .55 those that are not applicable
		line    func(string) bool  // a header line that must have been sent
	}{
		{"raw", func(*harness.Dialect) {}, [3]harness.Outcome{harness.Pass, harness.Pass, harness.Pass}, "", func(l string) bool { return len(l) == 129 }},
		{"structured", func(d *harness.Dialect) { d.KeySyntax = "structured" }, [3]harness.Outcome{harness.Pass, harness.Pass, harness.Pass}, "", func(l string) bool { return len(l) == 131 && l[0] == '"' }},
		{"either", func(d *harness.Dialect) { d.KeySyntax = "either" }, [3]harness.Outcome{harness.Pass, harness.Pass, harness.Pass}, "", func(l string) bool { return len(l) == 1 }},
		{"the first line counts", func(d *harness.Dialect) { d.DuplicateHeader = "first" }, [3]harness.Outcome{harness.Pass, harness.Pass, harness.Pass}, "07", func(l string) bool { return len(l) == 128 }},
		{"UUIDs only", func(d *harness.Dialect) { d.KeyMin, d.KeyMax = 36, 36 }, [3]harness.Outcome{harness.Fail, harness.Pass, harness.Pass}, "08 55", func(l string) bool { return len(l) == 37 }},
		{"no longest key", func(d *harness.Dialect) { d.KeyMax = 0 }, [3]harness.Outcome{harness.NotApplicable, harness.NotApplicable, harness.Pass}, "", func(l string) bool { return len(l) == 256 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := asked()
				row.turn(&d)
				target := &counter{dialect: d, known: map[string]known{}, lines: map[string]bool{}}
				e := tryKeys(t, target)
				for i, want := range row.clauses {
					id := harness.ClauseID([]string{"SRS-CHK-001.03", "SRS-CHK-001.04", "SRS-CHK-001.10"}[i])
					j := slices.IndexFunc(e.Clauses, func(c harness.ClauseResult) bool { return c.ID == id })
					if c := e.Clauses[j]; c.Verdict != want {
						t.Errorf("%s: %s (%s), want %s", id, c.Verdict, c.Reason, want)
					}
				}
				for _, last := range []string{"05", "06", "07", "08", "55"} {
					j := slices.IndexFunc(e.Clauses, func(c harness.ClauseResult) bool { return c.ID == harness.ClauseID("SRS-CHK-001."+last) })
					want := harness.Pass
					if strings.Contains(row.not, last) {
						want = harness.NotApplicable
					}
					if c := e.Clauses[j]; c.Verdict != want {
						t.Errorf("%s: %s (%s), want %s", c.ID, c.Verdict, c.Reason, want)
					}
				}
				for _, i := range e.Invariants {
					if i.Verdict != harness.Pass && i.Verdict != harness.NotVerified {
						t.Errorf("%s: %s (%s)", i.ID, i.Verdict, i.Reason)
					}
				}
				found := false
				for line := range target.lines {
					found = found || row.line(line)
				}
				if !found {
					t.Error("the header line to look for was never sent")
				}
			})
		})
	}
}

func tryKeys(t *testing.T, c *counter) harness.Evidence {
	t.Helper()
	return try(t, c, c, c.dialect, func(s harness.Scenario) bool {
		return slices.Contains(strings.Fields("length overlong malformed not-ascii empty two-lines exact alphabet"), strings.TrimPrefix(s.ID, "idempotency/key-")) ||
			s.ID == "idempotency/operations-key-malformed" // of which it has none
	})
}

// try runs scenarios on a target in memory.
func try(t *testing.T, sender harness.Sender, ledger harness.Probe, d harness.Dialect, selected func(harness.Scenario) bool) harness.Evidence {
	t.Helper()
	all := catalogue(t)
	target := &harness.Target{Sender: sender, Probe: ledger, Info: harness.TargetInfo{
		Name: "counter", Dialect: d, Capabilities: []harness.Capability{harness.CapCheckout, harness.CapEffects},
		PerSuccess: map[string]int{"order": 1}, Principals: []harness.Principal{{Name: "alice", Tenant: "t1"}}, Policy: harness.RequiredPolicy(),
	}}
	target.Journal, _ = sender.(harness.Journal)
	plan, err := harness.NewPlan(harness.RunInfo{ID: "run", Seed: 1}, target.Info, all, selected)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := harness.NewRunner(t.Context(), target, plan, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, err := harness.Run(t.Context(), runner, all, harness.Options{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
