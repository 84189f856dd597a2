package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// byOrder tells what status reads asked for.
type byOrder struct {
	Sender
	asked []string
	err   error
}

func (b *byOrder) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	if a.Operation != OpStatus {
		return b.Sender.Send(ctx, a)
	}
	b.asked = append(b.asked, fmt.Sprint(a.Vars["requestId"], " ", a.Vars["orderId"]))
	return Request{}, Answer{Status: 200}, b.err
}

// TestAStatusReadGoesByEitherID: the route of the profile may be by the order,
// where the scenario holds the request.
func TestAStatusReadGoesByEitherID(t *testing.T) {
	bubble(func(t *testing.T) {
		target := shopTarget(&shop{})
		asked := &byOrder{Sender: target.Sender}
		target.Sender = asked
		x := oneOrder()
		var made Answer
		x.Drive = func(ctx context.Context, s *Session) error {
			c := s.Case("one")
			made = s.Send(ctx, c, Attempt{Principal: s.DefaultPrincipal()}).Answer
			for _, vars := range []map[string]any{{"requestId": made.RequestID}, {"requestId": "nobody"}, {"orderId": "x"}, {"requestId": "r", "orderId": "o"}} {
				s.Send(ctx, c, Attempt{Operation: OpStatus, Principal: s.DefaultPrincipal(), Vars: vars})
			}
			return nil
		}
		run(t, target, testCatalogue(x), everything)
		order := made.OrderID
		if order == "" {
			order = made.RequestID
		}
		want := []string{made.RequestID + " " + order, "nobody nobody", "x x", "r o"}
		if got := strings.Join(asked.asked, ", "); got != strings.Join(want, ", ") {
			t.Errorf("asked for %s, want %s", got, strings.Join(want, ", "))
		}
	})(t)
}

// TestATemplateThatCannotBeFilledIsNoTargetThatIsGone: the experiment could not be
// carried out, and the target is not to blame.
func TestATemplateThatCannotBeFilledIsNoTargetThatIsGone(t *testing.T) {
	bubble(func(t *testing.T) {
		target := shopTarget(&shop{})
		target.Sender = &byOrder{Sender: target.Sender, err: fmt.Errorf("%w: %w: nothing is known for {{x}}", ErrNotSent, ErrUnfilled)}
		x := oneOrder()
		drive := x.Drive
		x.Drive = func(ctx context.Context, s *Session) error {
			r := s.Send(ctx, s.Case("read"), Attempt{Operation: OpStatus, Principal: s.DefaultPrincipal(), Vars: map[string]any{"requestId": "a"}})
			if !errors.Is(r.Err, ErrUnfilled) {
				t.Errorf("%v", r.Err)
			}
			return drive(ctx, s)
		}
		e, _ := run(t, target, testCatalogue(x), everything)
		if got := e.Scenarios[0]; got.Verdict != Inconclusive || !strings.Contains(got.Reason, "could not be made up from the profile") || strings.Contains(got.Reason, "reached") {
			t.Errorf("%s: %s", got.Verdict, got.Reason)
		}
	})(t)
}
