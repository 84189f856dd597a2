package harness

import (
	"context"
	"strings"
	"testing"
)

// stuckShop never finishes what one case asks for.
type stuckShop struct {
	*shop
	asked int
}

func (s *stuckShop) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	if !strings.HasSuffix(a.CaseID, "/lost") {
		return s.shop.Send(ctx, a)
	}
	s.asked++
	return Request{BodySHA256: "b"}, Answer{Status: 503}, nil
}

// TestLeftOpen: nobody asks again for what is left open, which is unknown then; a
// check that rests on no effects is judged all the same.
func TestLeftOpen(t *testing.T) {
	bubble(func(t *testing.T) {
		const why = "nobody can find out"
		stuck := &stuckShop{shop: &shop{}}
		target := shopTarget(stuck.shop)
		target.Sender = stuck
		lost := oneOrder()
		lost.Drive = func(ctx context.Context, s *Session) error {
			s.Send(ctx, s.Case("made"), Attempt{Principal: "alice"})
			c := s.Case("lost")
			s.Send(ctx, c, Attempt{Principal: "alice"})
			s.LeaveOpen(c, why)
			return nil
		}
		lost.Checks = append(lost.Checks, Check{Name: "seen", Clause: "C.2", Judge: func(*History) Verdict { return Passed("as it is") }})
		e, _ := run(t, target, testCatalogue(lost), everything)
		if got := e.Clauses[0]; got.Verdict != Inconclusive || !strings.Contains(got.Reason, why) {
			t.Errorf("what rests on effects: %s (%s)", got.Verdict, got.Reason)
		}
		if got := e.Clauses[1]; got.Verdict != Pass {
			t.Errorf("what does not: %s (%s)", got.Verdict, got.Reason)
		}
		if stuck.asked != 1 {
			t.Errorf("asked %d times for what was left open", stuck.asked)
		}
	})(t)
}
