package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// crasherOf lets a controlled shop die at a point.
type crasherOf struct{ *controlled }

func (crasherOf) Points() []string { return []string{"after-reserve"} }

func (c crasherOf) Arm(_ context.Context, point, _ string, _ time.Duration) (string, error) {
	return c.tell("arm "+point, c.dead)
}

func (c crasherOf) Died(context.Context) (string, error) { return c.tell("died", c.dead) }

func (c crasherOf) Disarm(context.Context) (string, error) { return c.tell("disarm", c.dead) }

func TestCrashAt(t *testing.T) {
	broken := errors.New("it lives")
	for _, row := range []struct {
		name    string
		fails   map[string]error
		absent  bool
		told    string
		marks   []string
		verdict Outcome
	}{
		{"it died", nil, false, "arm after-reserve died", []string{"crash-armed: seen: arm after-reserve", "crashed: seen: died"}, Pass},
		{"it did not", map[string]error{"died": broken}, false, "arm after-reserve died disarm",
			[]string{"crash-armed: seen: arm after-reserve", "error: have the target die at after-reserve: it lives"}, Inconclusive},
		{"it cannot be armed", map[string]error{"arm after-reserve": broken}, false, "arm after-reserve disarm",
			[]string{"error: have the target die at after-reserve: it lives"}, Inconclusive},
		{"nobody offers it", nil, true, "", []string{"error: have the target die at after-reserve: the profile does not offer it; declare control.crash"}, Inconclusive},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			c, target := controlledTarget(row.fails)
			if !row.absent {
				target.Control.Crash = crasherOf{c}
			}
			x := oneOrder()
			x.Exclusive = true
			x.Drive = func(ctx context.Context, s *Session) error {
				c := s.Case("c")
				err := s.CrashAt(ctx, c, "after-reserve", Attempt{Principal: "alice"})
				s.Send(ctx, c, Attempt{Principal: "alice"})
				return err
			}
			e, dir := run(t, target, testCatalogue(x), everything)
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
