package harness

import (
	"context"
	"strings"
	"testing"
)

// forgetful is a claiming shop whose ledger dies with its processes and begins
// anew, with the numbers that it had.
type forgetful struct{ *claiming }

func (f forgetful) Start(ctx context.Context) (string, error) {
	f.mu.Lock()
	f.ledger = nil
	f.mu.Unlock()
	return f.claiming.Start(ctx)
}

// late is a ledger that is not there at once after a start.
type late struct {
	*claiming
	down int
}

func (l *late) Start(ctx context.Context) (string, error) {
	l.down = 2
	return l.claiming.Start(ctx)
}

func (l *late) Effects(ctx context.Context, since int64) ([]Effect, error) {
	if l.down > 0 {
		l.down--
		return nil, context.DeadlineExceeded
	}
	return l.claiming.Effects(ctx, since)
}

// TestALedgerThatForgets: what is killed must not take the truth with it.
func TestALedgerThatForgets(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := claimingTarget(nil, CapProcessKill)
		target.Control.Kill = forgetful{c}
		e, _ := run(t, target, testCatalogue(oneOrder()), everything)
		want := "the ledger forgot 3 entries when the claim process-kill was tried; keep it outside of the target's processes, or leave out control.http"
		if e.Run.Control.Outcome == Pass || !strings.Contains(e.Run.Control.Reason, want) || e.Run.Exit != ExitInconclusive {
			t.Errorf("%s: %q, exit %d", e.Run.Control.Outcome, e.Run.Control.Reason, e.Run.Exit)
		}
		c, target = claimingTarget(nil, CapProcessKill)
		slow := &late{claiming: c}
		target.Control.Kill, target.Probe = slow, slow
		if e, _ := run(t, target, testCatalogue(oneOrder()), everything); e.Run.Exit != ExitGreen {
			t.Errorf("a ledger that is there a moment later: %s, exit %d", e.Run.Control.Reason, e.Run.Exit)
		}
	})(t)
}
