package harness

import (
	"context"
	"strings"
	"testing"
)

// misconfigured comes back from a restart and has lost its provider, for so many
// checkouts.
type misconfigured struct {
	*claiming
	refuses int
}

func (m *misconfigured) Restart(ctx context.Context) (string, error) {
	m.mu.Lock()
	m.answers[OpCheckout] = Answer{Status: 503, Code: "PAYMENT_UNAVAILABLE"}
	m.mu.Unlock()
	return m.claiming.Restart(ctx)
}

func (m *misconfigured) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	m.mu.Lock()
	if _, down := m.answers[OpCheckout]; down && a.Operation == OpCheckout && a.Variant == "" {
		if m.refuses--; m.refuses < 0 {
			delete(m.answers, OpCheckout)
		}
	}
	m.mu.Unlock()
	return m.claiming.Send(ctx, a)
}

// TestWhatComesBackHasToSell: a target that answers after a restart and sells no
// more is another one.
func TestWhatComesBackHasToSell(t *testing.T) {
	for name, row := range map[string]struct {
		refuses int
		works   bool
		says    string
	}{
		"it sells at once":     {0, true, ""},
		"it needs a moment":    {3, true, ""},
		"it never sells again": {100000, false, "control: after it a plain checkout was answered status 503 PAYMENT_UNAVAILABLE; does it start the service with the same configuration?"},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			c, target := claimingTarget(nil, CapProcessControl)
			m := &misconfigured{c, row.refuses}
			target.Sender, target.Control.Restart = m, m
			e, _ := run(t, target, testCatalogue(oneOrder()), everything)
			if len(e.Run.Claims) != 1 || e.Run.Claims[0].Works != row.works || !strings.Contains(e.Run.Claims[0].Reason, row.says) {
				t.Errorf("%+v, want works %t, %q", e.Run.Claims, row.works, row.says)
			}
		}))
	}
}
