package harness

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// lateShop is a shop that makes a second effect of its fourth checkout, the first
// after the control's, when nobody expects it any more.
type lateShop struct {
	shop
	reference func(cart string) string // of the late effect
}

func (s *lateShop) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	request, answer, err := s.shop.Send(ctx, a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ledger) == 4 && a.Number == 1 {
		time.AfterFunc(800*time.Millisecond, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			n := len(s.ledger) + 1
			s.ledger = append(s.ledger, Effect{Seq: int64(n), Kind: "order", ID: fmt.Sprint("late", n), Reference: s.reference(a.Vars["cart"].(string))})
		})
	}
	return request, answer, err
}

// TestLateEffects: an effect that comes after its scenario has settled still
// counts, and one without a cause keeps I6 from being green.
func TestLateEffects(t *testing.T) {
	for name, row := range map[string]struct {
		reference func(string) string
		clause    Outcome
		orphans   Outcome
		exit      int
	}{
		"of the same cart": {func(cart string) string { return cart }, Fail, Pass, ExitFail},
		"of nobody's cart": {func(string) string { return "unheard-of" }, Pass, Inconclusive, ExitInconclusive},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			s := &lateShop{reference: row.reference}
			target := shopTarget(&s.shop)
			target.Sender, target.Probe = s, s
			catalogue := testCatalogue(oneOrder())
			catalogue.Invariants = []Invariant{{ID: "I6"}}
			e, _ := run(t, target, catalogue, everything)
			if got := e.Clauses[0]; got.Verdict != row.clause {
				t.Errorf("clause: %s (%s), want %s", got.Verdict, got.Reason, row.clause)
			}
			if got := e.Invariants[0]; got.Verdict != row.orphans {
				t.Errorf("I6: %s (%s), want %s", got.Verdict, got.Reason, row.orphans)
			}
			if e.Run.Exit != row.exit {
				t.Errorf("exit %d, want %d", e.Run.Exit, row.exit)
			}
		}))
	}
}

func TestASharedLedgerHasNoOrphans(t *testing.T) {
	bubble(func(t *testing.T) {
		s := &lateShop{reference: func(string) string { return "somebody else's" }}
		target := shopTarget(&s.shop)
		target.Sender, target.Probe = s, s
		target.Info.SharedLedger = true
		catalogue := testCatalogue(oneOrder())
		catalogue.Invariants = []Invariant{{ID: "I6"}}
		e, _ := run(t, target, catalogue, everything)
		if got := e.Invariants[0]; got.Verdict != NotVerified || !strings.Contains(got.Reason, "shared") || e.Run.Exit != ExitGreen {
			t.Errorf("I6: %s (%s), exit %d", got.Verdict, got.Reason, e.Run.Exit)
		}
	})(t)
}

// TestNothingIsBelievedWithoutTheAftermath: a run that was cut short before its
// last reading of the ledger proves nothing about effects.
func TestNothingIsBelievedWithoutTheAftermath(t *testing.T) {
	bubble(func(t *testing.T) {
		target, catalogue := shopTarget(&shop{}), testCatalogue(oneOrder())
		plan, _ := NewPlan(RunInfo{ID: "run-1"}, target.Info, catalogue, everything)
		dir := t.TempDir()
		r, err := NewRunner(t.Context(), target, plan, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Scenario(t.Context(), oneOrder()); err != nil {
			t.Fatal(err)
		}
		e, err := JudgeRun(dir, plan, catalogue, time.Now())
		if err != nil || e.Clauses[0].Verdict != Inconclusive || !strings.Contains(e.Clauses[0].Reason, "end of the run") {
			t.Errorf("%s %s %v", e.Clauses[0].Verdict, e.Clauses[0].Reason, err)
		}
	})(t)
}

// TestATargetThatDiesInMidRun: what a target that is gone did not answer is no
// failure of its logic.
func TestATargetThatDiesInMidRun(t *testing.T) {
	bubble(func(t *testing.T) {
		s := &shop{}
		dying := oneOrder()
		drive := dying.Drive
		dying.Drive = func(ctx context.Context, session *Session) error {
			s.mu.Lock()
			s.dead = true
			s.mu.Unlock()
			return drive(ctx, session)
		}
		dying.Checks = []Check{{Name: "answers", Clause: "C.1", Judge: func(*History) Verdict { return Failed("an answer", "none", 1) }}}
		e, _ := run(t, shopTarget(s), testCatalogue(dying), everything)
		if e.Clauses[0].Verdict != Inconclusive || e.Run.Exit != ExitInconclusive {
			t.Errorf("%s %s, exit %d", e.Clauses[0].Verdict, e.Clauses[0].Reason, e.Run.Exit)
		}
	})(t)
}

// darkShop is a shop whose probe shows nothing any more after some readings.
type darkShop struct {
	shop
	left int
}

func (s *darkShop) Effects(ctx context.Context, since int64) ([]Effect, error) {
	s.mu.Lock()
	s.left--
	dark := s.left < 0
	s.mu.Unlock()
	if dark {
		return nil, nil
	}
	return s.shop.Effects(ctx, since)
}

// TestAProbeThatGoesDark: what was shown and is shown no more makes every count
// worthless, the comfortable ones too.
func TestAProbeThatGoesDark(t *testing.T) {
	for _, left := range []int{14, 16, 18, 20} { // after the control, before the end
		bubble(func(t *testing.T) {
			s := &darkShop{left: left}
			target := shopTarget(&s.shop)
			target.Sender, target.Probe = s, s
			e, _ := run(t, target, testCatalogue(oneOrder()), everything)
			if e.Clauses[0].Verdict != Inconclusive || e.Run.Exit != ExitInconclusive {
				t.Errorf("after %d readings: %s %s, exit %d, control %s", left, e.Clauses[0].Verdict, e.Clauses[0].Reason, e.Run.Exit, e.Run.Control.Reason)
			}
		})(t)
	}
}
