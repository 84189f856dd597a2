package harness

import (
	"context"
	"fmt"
	"testing"
)

// TestRedeliver: a provider tells again until it is taken, one after the other, and
// what it tells is the same.
func TestRedeliver(t *testing.T) {
	for name, row := range map[string]struct {
		later, told int
	}{
		"all are taken":                  {0, 2},
		"one is wanted again":            {1, 3},
		"both are, and once more":        {3, 5},
		"without end, which is no error": {1 << 20, 0},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			n := &notified{shop: &shop{}, kind: "charge", status: 202, later: row.later}
			target := notifiedTarget(n)
			target.Info.Capabilities = []Capability{CapCheckout, CapEffects}
			var told []Attempt
			run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error {
				s.target.Info.Capabilities = append(s.target.Info.Capabilities, CapWebhook) // now that the preflight is over
				payment, err := s.Booked(ctx, c, "charge")
				if err != nil {
					return err
				}
				notice, err := s.Notify(ctx, c, payment, 2)
				if err != nil {
					return err
				}
				if err := s.Redeliver(ctx, c, notice); err != nil {
					t.Error(err)
				}
				told = n.told
				return nil
			}), everything)
			if len(told) < 2 || row.told > 0 && len(told) != row.told {
				t.Fatalf("told %d times, want %d", len(told), row.told)
			}
			for _, a := range told {
				if fmt.Sprint(a.Vars) != fmt.Sprint(told[0].Vars) {
					t.Errorf("told %v, and then %v", told[0].Vars, a.Vars)
				}
			}
		}))
	}
}
