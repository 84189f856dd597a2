package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// shop is a target in memory: right unless broken says otherwise.
type shop struct {
	mu      sync.Mutex
	answers map[string]Answer
	ledger  []Effect
	broken  bool // executes every request again
	dead    bool
}

func (s *shop) Send(_ context.Context, a Attempt) (Request, Answer, error) {
	if a.Ready != nil {
		a.Ready()
		<-a.Release
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return Request{}, Answer{}, fmt.Errorf("%w: refused", ErrNotSent)
	}
	key := strings.Join(a.Keys, ",")
	if answer, ok := s.answers[key]; ok && !s.broken {
		return Request{BodySHA256: "b"}, answer, nil
	}
	id := fmt.Sprintf("o%d", len(s.ledger)+1)
	s.ledger = append(s.ledger, Effect{Seq: int64(len(s.ledger) + 1), Kind: "order", ID: id, Reference: a.Vars["cart"].(string)})
	s.answers[key] = Answer{Status: 201, JSON: true, OrderID: id, RequestID: id, BodySHA256: id}
	return Request{BodySHA256: "b"}, s.answers[key], nil
}

// find answers a status read.
func (s *shop) find(id any) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.answers {
		if a.RequestID == id {
			a.Status = 200
			return a
		}
	}
	return Answer{Status: 404}
}

func (s *shop) Effects(_ context.Context, since int64) ([]Effect, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Effect(nil), s.ledger[since:]...), nil
}

func shopTarget(s *shop) *Target {
	s.answers = map[string]Answer{}
	return &Target{Sender: s, Probe: s, Info: TargetInfo{
		Name: "shop", Capabilities: []Capability{CapCheckout, CapEffects}, PerSuccess: map[string]int{"order": 1},
		Principals: []Principal{{Name: "alice", Tenant: "t1"}}, Policy: RequiredPolicy(),
		Dialect: Dialect{Scope: []string{"tenant", "principal", "operation", "version"}},
	}}
}

// oneOrder is a scenario that sends one key twice and counts orders.
func oneOrder() Scenario {
	return Scenario{
		ID: "x/one-order", Title: "one order", Needs: Needs{"checkout"},
		Drive: func(ctx context.Context, s *Session) error {
			c := s.Case("c")
			for range 2 {
				s.Send(ctx, c, Attempt{Principal: s.DefaultPrincipal()})
			}
			return nil
		},
		Checks: []Check{{Name: "one", Clause: "C.1", Invariant: "I1", Gates: Gates{Effects: true}, Judge: func(h *History) Verdict {
			n := 0
			for e := range h.Events() {
				if e.Type == EffectEvent {
					n++
				}
			}
			switch n {
			case 0:
				return Undecided("no effect seen")
			case 1:
				return Passed("one")
			}
			return Failed("one order", fmt.Sprint(n))
		}}},
	}
}

func failingDrive() Scenario {
	s := oneOrder()
	s.ID = "x/cannot-be-driven"
	s.Checks[0].Clause = "C.2"
	s.Drive = func(ctx context.Context, s *Session) error {
		s.Send(ctx, s.Case("c"), Attempt{Principal: "alice"})
		return errors.New("the barrier broke")
	}
	return s
}

func run(t *testing.T, target *Target, catalogue Catalogue, selected func(Scenario) bool) (Evidence, string) {
	t.Helper()
	plan, err := NewPlan(RunInfo{ID: "run-1", Seed: 7, Lane: "fast", Repeat: "oncecheck run --seed 7"}, target.Info, catalogue, selected)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r, err := NewRunner(t.Context(), target, plan, dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Run(t.Context(), r, catalogue, Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	return e, dir
}

// bubble runs a test in virtual time: settling waits cost nothing, and a
// goroutine that outlives the test fails it.
func bubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

func testCatalogue(scenarios ...Scenario) Catalogue {
	return Catalogue{Clauses: []Clause{{ID: "C.1", Level: "must"}, {ID: "C.2", Level: "must"}, {ID: "C.3", Level: "must"}}, Invariants: []Invariant{{ID: "I1"}}, Scenarios: scenarios}
}

func everything(Scenario) bool { return true }

func TestRun(t *testing.T) {
	needy := oneOrder()
	needy.ID, needy.Needs, needy.Checks[0].Clause = "x/needy", Needs{"clock"}, "C.3"
	for _, row := range []struct {
		name      string
		shop      *shop
		scenarios []Scenario
		clauses   [3]Outcome
		exit      int
	}{
		{"right", &shop{}, []Scenario{oneOrder()}, [3]Outcome{Pass, NotVerified, NotVerified}, ExitGreen},
		{"with a missing capability", &shop{}, []Scenario{oneOrder(), needy}, [3]Outcome{Pass, NotVerified, NotVerified}, ExitGreen},
		{"only what cannot run", &shop{}, []Scenario{needy}, [3]Outcome{NotVerified, NotVerified, NotVerified}, ExitInconclusive},
		{"broken", &shop{broken: true}, []Scenario{oneOrder()}, [3]Outcome{Fail, NotVerified, NotVerified}, ExitFail},
		{"dead", &shop{dead: true}, []Scenario{oneOrder()}, [3]Outcome{Inconclusive, NotVerified, NotVerified}, ExitInconclusive},
		{"an experiment that failed", &shop{}, []Scenario{oneOrder(), failingDrive()}, [3]Outcome{Pass, Inconclusive, NotVerified}, ExitInconclusive},
		{"fail beats inconclusive", &shop{broken: true}, []Scenario{oneOrder(), failingDrive()}, [3]Outcome{Fail, Inconclusive, NotVerified}, ExitFail},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			catalogue := testCatalogue(row.scenarios...)
			e, dir := run(t, shopTarget(row.shop), catalogue, everything)
			for i, want := range row.clauses {
				if got := e.Clauses[i].Verdict; got != want {
					t.Errorf("clause %s: %s (%s), want %s", e.Clauses[i].ID, got, e.Clauses[i].Reason, want)
				}
			}
			if e.Run.Exit != row.exit {
				t.Errorf("exit %d, want %d", e.Run.Exit, row.exit)
			}
			plan, err := ReadPlan(dir)
			if err != nil {
				t.Fatal(err)
			}
			again, err := JudgeRun(dir, plan, catalogue, e.Run.Finished)
			if err != nil || again.Totals != e.Totals || again.Run.Exit != e.Run.Exit {
				t.Errorf("judging again: %+v, %v", again.Totals, err)
			}
		}))
	}
}

func TestAnEmptySelectionIsAnError(t *testing.T) {
	_, err := NewPlan(RunInfo{}, TargetInfo{}, testCatalogue(oneOrder()), func(Scenario) bool { return false })
	if err == nil {
		t.Fatal("an empty selection made a plan")
	}
}

func TestARunFolderIsNeverOverwritten(t *testing.T) {
	bubble(func(t *testing.T) {
		target := shopTarget(&shop{})
		_, dir := run(t, target, testCatalogue(oneOrder()), everything)
		plan, _ := ReadPlan(dir)
		if _, err := NewRunner(t.Context(), target, plan, dir); err == nil || !strings.Contains(err.Error(), "already holds a run") {
			t.Fatalf("got %v", err)
		}
	})(t)
}

func TestAHistoryOfAnotherRunIsNotBelieved(t *testing.T) {
	bubble(func(t *testing.T) {
		catalogue := testCatalogue(oneOrder())
		_, dir := run(t, shopTarget(&shop{}), catalogue, everything)
		plan, _ := ReadPlan(dir)
		plan.Run.ID = "run-2"
		if _, err := JudgeRun(dir, plan, catalogue, time.Now()); err == nil {
			t.Fatal("the aftermath of another run was accepted")
		}
		if err := os.Remove(HistoryFile(dir, AftermathID)); err != nil {
			t.Fatal(err)
		}
		e, err := JudgeRun(dir, plan, catalogue, time.Now())
		if err != nil || e.Clauses[0].Verdict != Inconclusive {
			t.Fatalf("%v %v", e.Clauses[0].Verdict, err)
		}
	})(t)
}

func TestAMissingHistoryIsAGap(t *testing.T) {
	bubble(func(t *testing.T) {
		catalogue := testCatalogue(oneOrder())
		_, dir := run(t, shopTarget(&shop{}), catalogue, everything)
		if err := os.Remove(HistoryFile(dir, "x/one-order")); err != nil {
			t.Fatal(err)
		}
		plan, _ := ReadPlan(dir)
		e, err := JudgeRun(dir, plan, catalogue, time.Now())
		if err != nil || e.Clauses[0].Verdict != Inconclusive || e.Run.Exit != ExitInconclusive {
			t.Fatalf("%v exit %d %v", e.Clauses[0].Verdict, e.Run.Exit, err)
		}
	})(t)
}

func TestInterruptedRun(t *testing.T) {
	bubble(func(t *testing.T) {
		target, catalogue := shopTarget(&shop{}), testCatalogue(oneOrder())
		plan, _ := NewPlan(RunInfo{ID: "run-1"}, target.Info, catalogue, everything)
		dir := t.TempDir()
		r, err := NewRunner(t.Context(), target, plan, dir)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		e, err := Run(ctx, r, catalogue, Options{Jobs: 1})
		if err != nil || e.Run.Exit != ExitInconclusive || e.Clauses[0].Verdict != Inconclusive {
			t.Fatalf("%v exit %d %v", e.Clauses[0].Verdict, e.Run.Exit, err)
		}
	})(t)
}

// TestInterruptedInMidScenario: what an experiment did not live to see is no
// failure, and what was finished before keeps its verdict.
func TestInterruptedInMidScenario(t *testing.T) {
	bubble(func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		half := oneOrder()
		half.ID, half.Exclusive = "x/half", true
		half.Checks = []Check{{Name: "count", Clause: "C.2", Judge: func(*History) Verdict { return Failed("two calls", "one", 1) }}}
		half.Drive = func(ctx context.Context, s *Session) error {
			s.Send(ctx, s.Case("c"), Attempt{Principal: "alice"})
			cancel()
			return nil
		}
		target, catalogue := shopTarget(&shop{}), testCatalogue(oneOrder(), half)
		plan, _ := NewPlan(RunInfo{ID: "run-1"}, target.Info, catalogue, everything)
		r, err := NewRunner(ctx, target, plan, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		e, err := Run(ctx, r, catalogue, Options{Jobs: 1})
		if err != nil || e.Run.Exit != ExitInconclusive || e.Clauses[0].Verdict != Pass || e.Clauses[1].Verdict != Inconclusive {
			t.Fatalf("%s %s, %s %s, exit %d, %v", e.Clauses[0].Verdict, e.Clauses[0].Reason, e.Clauses[1].Verdict, e.Clauses[1].Reason, e.Run.Exit, err)
		}
	})(t)
}

func TestTogetherReleasesAllAtOnce(t *testing.T) {
	bubble(func(t *testing.T) {
		crowd := oneOrder()
		crowd.Drive = func(ctx context.Context, s *Session) error {
			results, err := s.Together(ctx, s.Case("c"), 20, func(int) Attempt { return Attempt{Principal: "alice"} })
			for _, r := range results {
				if r.Class != ClassSuccess {
					return fmt.Errorf("a caller got %v", r)
				}
			}
			return err
		}
		e, dir := run(t, shopTarget(&shop{}), testCatalogue(crowd), everything)
		if e.Clauses[0].Verdict != Pass {
			t.Fatalf("%s %s", e.Clauses[0].Verdict, e.Clauses[0].Reason)
		}
		data, _ := os.ReadFile(filepath.Join(dir, "history", "x.one-order.jsonl"))
		if !strings.Contains(string(data), `"barrier"`) {
			t.Error("the barrier left no mark")
		}
	})(t)
}
