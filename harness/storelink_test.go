package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// storeLinkOf is the link to the store of a controlled shop.
type storeLinkOf struct{ *controlled }

func (l storeLinkOf) Disturb(_ context.Context, d StoreDisturbance, _ time.Duration) (string, error) {
	return l.tell("store "+d.String(), l.dead)
}

func (l storeLinkOf) Restore(context.Context) (string, error) { return l.tell("store open", l.dead) }

func TestStoreLink(t *testing.T) {
	broken := errors.New("it hangs")
	slow := StoreDisturbance{Mode: StoreSlow, Delay: 20 * time.Second}
	disturb := func(ctx context.Context, s *Session) error { return s.DisturbStore(ctx, slow) }
	for _, row := range []struct {
		name    string
		drive   func(ctx context.Context, s *Session) error
		fails   map[string]error
		absent  bool
		told    string
		marks   []string
		verdict Outcome
	}{
		{"what was left is put back", disturb, nil, false, "store slow(20s) store open",
			[]string{"store-link: seen: store slow(20s)", "store-link: seen: store open"}, Pass},
		{"disturbed twice and opened once", func(ctx context.Context, s *Session) error {
			return errors.Join(disturb(ctx, s), s.DisturbStore(ctx, StoreDisturbance{Mode: StoreCut}), s.RestoreStore(ctx))
		}, nil, false, "store slow(20s) store cut store open",
			[]string{"store-link: seen: store slow(20s)", "store-link: seen: store cut", "store-link: seen: store open"}, Pass},
		{"a disturbance that is not proven", func(ctx context.Context, s *Session) error { _ = disturb(ctx, s); return nil },
			map[string]error{"store slow(20s)": broken}, false, "store slow(20s) store open",
			[]string{"error: disturb the link to the store: slow(20s): it hangs", "store-link: seen: store open"}, Inconclusive},
		{"a link that does not open", disturb, map[string]error{"store open": broken}, false, "store slow(20s) store open",
			[]string{"store-link: seen: store slow(20s)", "error: open the link to the store: it hangs",
				"target-lost: it could not be put back: open the link to the store: it hangs"}, Inconclusive},
		{"opened without a disturbance", func(ctx context.Context, s *Session) error { _ = s.RestoreStore(ctx); return nil }, nil, false, "",
			[]string{"error: open the link to the store: this scenario did not change it, or it was put back before: its lease expired"}, Inconclusive},
		{"a link that is not there", func(ctx context.Context, s *Session) error { _ = disturb(ctx, s); return nil }, nil, true, "",
			[]string{"error: disturb the link to the store: slow(20s): the profile does not offer it; declare links.store"}, Inconclusive},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			c, target := controlledTarget(row.fails)
			if !row.absent {
				target.Control.Store = storeLinkOf{c}
			}
			e, dir := run(t, target, testCatalogue(disturbing(row.drive)), everything)
			if got := strings.Join(c.told, " "); got != row.told {
				t.Errorf("the target was told %q, want %q", got, row.told)
			}
			if marks := marksOf(t, dir, "x/one-order"); len(marks) < len(row.marks) || strings.Join(marks[:len(row.marks)], "\n") != strings.Join(row.marks, "\n") {
				t.Errorf("marks %q, want first %q", marks, row.marks)
			}
			if got := e.Clauses[0].Verdict; got != row.verdict {
				t.Errorf("%s: %s, want %s", got, e.Clauses[0].Reason, row.verdict)
			}
		}))
	}
}

// TestStoreLinkIsTried: a link that is claimed and cannot be disturbed makes the
// run inconclusive, whether or not a scenario needs it.
func TestStoreLinkIsTried(t *testing.T) {
	for name, fails := range map[string]map[string]error{"works": nil, "does not work": {"store slow(1ms)": errors.New("it hangs")}} {
		t.Run(name, bubble(func(t *testing.T) {
			c, target := controlledTarget(fails)
			target.Control.Store = storeLinkOf{c}
			target.Info.Capabilities = append(target.Info.Capabilities, CapStoreLink)
			e, _ := run(t, target, testCatalogue(oneOrder()), everything)
			if got := strings.Join(c.told, " "); got != "store slow(1ms) store open" {
				t.Errorf("the target was told %q", got)
			}
			unmet := e.Run.Unmet()
			if (len(unmet) > 0) != (fails != nil) || fails != nil && !strings.Contains(unmet[0].Reason, "links.store: ") {
				t.Errorf("claims %+v", e.Run.Claims)
			}
		}))
	}
}
