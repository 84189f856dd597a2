package harness

import (
	"context"
	"fmt"
	"testing"
)

// secretive answers another body under a used key as it answers a duplicate in
// progress: with 409 and no code.
type secretive struct {
	shop
	bodies map[string]string
}

func (s *secretive) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	key, body := fmt.Sprint(a.Keys), fmt.Sprint(a.Vars["amount"])
	s.mu.Lock()
	first, used := s.bodies[key]
	if !used {
		s.bodies[key] = body
	}
	s.mu.Unlock()
	if used && first != body {
		return Request{BodySHA256: body}, Answer{Status: 409}, nil
	}
	_, answer, err := s.shop.Send(ctx, a)
	return Request{BodySHA256: body}, answer, err
}

// TestAmbiguousAnswersAreResolved: once the first request has its answer, the
// same 409 to another body can only be a mismatch; to the first body it stays
// what it was.
func TestAmbiguousAnswersAreResolved(t *testing.T) {
	bubble(func(t *testing.T) {
		s := &secretive{bodies: map[string]string{}}
		target := shopTarget(&s.shop)
		target.Sender = s
		target.Info.Dialect = Dialect{Mismatch: Mismatch{Mode: "any", Refusal: Refusal{Statuses: []int{409}}}, InProgress: InProgress{Mode: "any", Refusal: Refusal{Statuses: []int{409}}}}
		conflict := oneOrder()
		conflict.Drive = func(ctx context.Context, s *Session) error {
			c := s.Case("c")
			s.Send(ctx, c, Attempt{Principal: "alice"})
			if r := s.Send(ctx, c, Attempt{Principal: "alice", Vars: map[string]any{"amount": c.Amount + 1}}); r.Class != ClassMismatch {
				return fmt.Errorf("another body under a finished key is %q", r.Class)
			}
			return nil
		}
		e, _ := run(t, target, testCatalogue(conflict), everything)
		if e.Clauses[0].Verdict != Pass {
			t.Errorf("%s: %s", e.Clauses[0].Verdict, e.Clauses[0].Reason)
		}
	})(t)
}

// unsaid refuses some keys with 409 and no code.
type unsaid struct {
	shop
	refuses string
}

func (u *unsaid) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	if len(a.Keys) == 1 && a.Keys[0] == u.refuses {
		return Request{BodySHA256: "same"}, Answer{Status: 409}, nil
	}
	_, answer, err := u.shop.Send(ctx, a)
	return Request{BodySHA256: "same"}, answer, err
}

// TestRefusalsWithoutACode: what could be a request in progress is refused once the
// same was bought under another key, and not before.
func TestRefusalsWithoutACode(t *testing.T) {
	bubble(func(t *testing.T) {
		u := &unsaid{refuses: "other"}
		target := shopTarget(&u.shop)
		target.Sender = u
		target.Info.Dialect = Dialect{InProgress: InProgress{Mode: "any", Refusal: Refusal{Statuses: []int{409}}}}
		x := oneOrder()
		x.Drive = func(ctx context.Context, s *Session) error {
			c, other := s.Case("c"), Attempt{Principal: "alice", Keys: []string{u.refuses}}
			if r := s.Send(ctx, c, other); r.Class != ClassInProgress {
				return fmt.Errorf("before anybody bought it: %q", r.Class)
			}
			if r := s.Send(ctx, c, Attempt{Principal: "alice"}); r.Class != ClassSuccess {
				return fmt.Errorf("the first key: %q", r.Class)
			}
			if r := s.Send(ctx, c, other); r.Class != ClassRefused {
				return fmt.Errorf("afterwards: %q", r.Class)
			}
			return nil
		}
		e, _ := run(t, target, testCatalogue(x), everything)
		if e.Clauses[0].Verdict != Pass {
			t.Errorf("%s: %s", e.Clauses[0].Verdict, e.Clauses[0].Reason)
		}
	})(t)
}

// TestObserveOnly: literal clauses are excluded, even such as would fail, and
// invariants are judged all the same.
func TestObserveOnly(t *testing.T) {
	for broken, want := range map[bool]Outcome{false: Pass, true: Fail} {
		bubble(func(t *testing.T) {
			target := shopTarget(&shop{broken: broken})
			target.Info.Dialect = Dialect{Name: "observe", ObserveOnly: true}
			s := oneOrder()
			same := s.Checks[0]
			same.Clause, same.Invariant = "", "I1"
			s.Checks = append(s.Checks, same)
			e, _ := run(t, target, testCatalogue(s), everything)
			if e.Clauses[0].Verdict != NotApplicable || e.Invariants[0].Verdict != want {
				t.Errorf("broken %v: clause %s (%s), invariant %s", broken, e.Clauses[0].Verdict, e.Clauses[0].Reason, e.Invariants[0].Verdict)
			}
		})(t)
	}
}

// TestAClauseIsProvenWholeOrNotAtAll: what the dialect excludes of a clause is
// not made up for by the rest.
func TestAClauseIsProvenWholeOrNotAtAll(t *testing.T) {
	entry := func(o Outcome, supplement bool) judged {
		return judged{result: CheckResult{Name: o.String(), Verdict: o}, supplement: supplement}
	}
	for _, row := range []struct {
		name    string
		entries []judged
		want    Outcome
	}{
		{"all passed", []judged{entry(Pass, false), entry(Pass, true)}, Pass},
		{"a part is excluded", []judged{entry(Pass, false), entry(NotApplicable, false)}, NotApplicable},
		{"only a supplement passed", []judged{entry(NotApplicable, false), entry(Pass, true)}, NotApplicable},
		{"a supplement is excluded", []judged{entry(Pass, false), entry(NotApplicable, true)}, Pass},
		{"a failure counts all the same", []judged{entry(NotApplicable, false), entry(Fail, true)}, Fail},
		{"so does what could not be decided", []judged{entry(NotApplicable, false), entry(Inconclusive, false)}, Inconclusive},
	} {
		if v := mergeJudged(row.entries); v.Outcome != row.want {
			t.Errorf("%s: %s, want %s", row.name, v.Outcome, row.want)
		}
	}
}
