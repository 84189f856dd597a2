package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// controlled is a shop that can be taken away: it records what it was told, and
// refuses callers meanwhile.
type controlled struct {
	*shop
	told  []string
	fails map[string]error // by what it is told
	flag  bool
}

func (c *controlled) tell(what string, dead bool) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, what)
	if err := c.fails[what]; err != nil {
		c.dead = c.dead && !errors.Is(err, ErrBackBefore)
		return "", err
	}
	c.dead = dead
	return "seen: " + what, nil
}

func (c *controlled) Restart(context.Context) (string, error) { return c.tell("restart", false) }
func (c *controlled) Kill(_ context.Context, _ time.Duration) (string, error) {
	return c.tell("kill", true)
}
func (c *controlled) Start(context.Context) (string, error) { return c.tell("start", false) }
func (c *controlled) Pause(_ context.Context, _ time.Duration) (string, error) {
	return c.tell("pause", true)
}
func (c *controlled) Resume(context.Context) (string, error) { return c.tell("resume", false) }
func (c *controlled) Move(_ context.Context, offset, _ time.Duration) (string, error) {
	return c.tell("clock "+offset.String(), c.dead)
}
func (c *controlled) State(context.Context) (bool, error) { return c.flag, c.fails["state"] }
func (c *controlled) Set(_ context.Context, on bool, _ time.Duration) (string, error) {
	c.flag = on
	return c.tell("flag "+onOff(on), c.dead)
}

func controlledTarget(fails map[string]error) (*controlled, *Target) {
	c := &controlled{shop: &shop{}, fails: fails}
	t := shopTarget(c.shop)
	t.Control = Controls{Restart: c, Kill: c, Pause: c, Clock: c, Flags: map[string]Flag{"redrive": c}}
	return c, t
}

// disturbing is oneOrder with something between its two requests.
func disturbing(drive func(ctx context.Context, s *Session) error) Scenario {
	x := oneOrder()
	x.Exclusive = true
	x.Drive = func(ctx context.Context, s *Session) error {
		c := s.Case("c")
		s.Send(ctx, c, Attempt{Principal: "alice"})
		if err := drive(ctx, s); err != nil {
			return err
		}
		s.Send(ctx, c, Attempt{Principal: "alice"})
		return nil
	}
	return x
}

func marksOf(t *testing.T, dir, scenario string) (marks []string) {
	t.Helper()
	h, err := OpenHistory(HistoryFile(dir, scenario))
	if err != nil {
		t.Fatal(err)
	}
	for e := range h.Events() {
		if e.Type == MarkEvent && e.Mark.Name != MarkEnd && e.Mark.Name != MarkSettled {
			marks = append(marks, e.Mark.Name+": "+e.Mark.Detail)
		}
	}
	return marks
}

func TestControls(t *testing.T) {
	broken := errors.New("it hangs")
	steps := func(do ...func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			for _, d := range do {
				if err := d(ctx); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for _, row := range []struct {
		name    string
		drive   func(ctx context.Context, s *Session) error
		fails   map[string]error
		told    string
		marks   []string
		verdict Outcome
	}{
		{"restart", func(ctx context.Context, s *Session) error { return s.Restart(ctx) }, nil,
			"restart", []string{"restarted: seen: restart"}, Pass},
		{"kill and start", func(ctx context.Context, s *Session) error { return steps(s.Kill, s.Start)(ctx) }, nil,
			"kill start", []string{"killed: seen: kill", "started: seen: start"}, Pass},
		{"pause and resume", func(ctx context.Context, s *Session) error { return steps(s.Pause, s.Resume)(ctx) }, nil,
			"pause resume", []string{"paused: seen: pause", "resumed: seen: resume"}, Pass},
		{"killed again", func(ctx context.Context, s *Session) error { return steps(s.Kill, s.Start, s.Kill, s.Start)(ctx) }, nil,
			"kill start kill start", []string{"killed: seen: kill", "started: seen: start", "killed: seen: kill", "started: seen: start"}, Pass},
		{"what was left is put back, last first", func(ctx context.Context, s *Session) error {
			return steps(func(ctx context.Context) error { return s.MoveClock(ctx, time.Hour) },
				func(ctx context.Context) error { return s.SetFlag(ctx, "redrive", true) }, s.Kill)(ctx)
		}, nil, "clock 1h0m0s flag on kill start flag off clock 0s",
			[]string{"clock-moved: seen: clock 1h0m0s", "flag-set: seen: flag on", "killed: seen: kill", "started: seen: start", "flag-set: seen: flag off", "clock-moved: seen: clock 0s"}, Pass},
		{"the clock moved twice and put back", func(ctx context.Context, s *Session) error {
			return errors.Join(s.MoveClock(ctx, time.Hour), s.MoveClock(ctx, 2*time.Hour), s.MoveClock(ctx, 0))
		}, nil, "clock 1h0m0s clock 2h0m0s clock 0s",
			[]string{"clock-moved: seen: clock 1h0m0s", "clock-moved: seen: clock 2h0m0s", "clock-moved: seen: clock 0s"}, Pass},
		{"a restart that is not proven", func(ctx context.Context, s *Session) error { _ = s.Restart(ctx); return nil }, map[string]error{"restart": broken},
			"restart start", []string{"error: restart the target: it hangs", "started: seen: start"}, Inconclusive},
		{"a restart that did nothing", func(ctx context.Context, s *Session) error { _ = s.Restart(ctx); return nil }, map[string]error{"restart": broken, "start": fmt.Errorf("%w", ErrBackBefore)},
			"restart start", []string{"error: restart the target: it hangs"}, Inconclusive},
		{"a restart that leaves it down", func(ctx context.Context, s *Session) error { return s.Restart(ctx) }, map[string]error{"restart": broken, "start": errors.New("no such program")},
			"restart start start", []string{"error: restart the target: it hangs", "error: start the target after a restart that was not proven: no such program",
				"error: restart the target: it hangs; start the target after a restart that was not proven: no such program",
				"error: start the target after a restart that was not proven: no such program", "target-lost: it could not be put back: start the target"}, Inconclusive},
		{"a kill that is not proven is undone all the same", func(ctx context.Context, s *Session) error { _ = s.Kill(ctx); return nil }, map[string]error{"kill": broken},
			"kill start", []string{"error: kill the target: it hangs", "started: seen: start"}, Inconclusive},
		{"a pause that is not proven", func(ctx context.Context, s *Session) error { _ = s.Pause(ctx); return nil }, map[string]error{"pause": broken, "resume": fmt.Errorf("%w", ErrBackBefore)},
			"pause resume", []string{"error: pause the target: it hangs", "error: resume the target: the target had come back before"}, Inconclusive},
		{"a pause that ended before", func(ctx context.Context, s *Session) error { _ = s.Pause(ctx); _ = s.Resume(ctx); return nil }, map[string]error{"resume": fmt.Errorf("%w", ErrBackBefore)},
			"pause resume", []string{"paused: seen: pause", "error: resume the target: the target had come back before"}, Inconclusive},
		{"a target that does not come back", func(ctx context.Context, s *Session) error { return s.Kill(ctx) }, map[string]error{"start": broken},
			"kill start", []string{"killed: seen: kill", "error: start the target: it hangs", "target-lost: it could not be put back: start the target: it hangs"}, Inconclusive},
		{"a flag that cannot be read", func(ctx context.Context, s *Session) error { _ = s.SetFlag(ctx, "redrive", true); return nil }, map[string]error{"state": broken},
			"", []string{"error: switch the flag redrive on: its state before: it hangs"}, Inconclusive},
		{"a flag that is not there", func(ctx context.Context, s *Session) error { _ = s.SetFlag(ctx, "other", true); return nil }, nil,
			"", []string{"error: switch the flag other on: the profile does not offer it; declare control.flag.other"}, Inconclusive},
		{"a start without a kill", func(ctx context.Context, s *Session) error { _ = s.Start(ctx); return nil }, nil,
			"", []string{"error: start the target: this scenario did not change it, or it was put back before: its lease expired"}, Inconclusive},
		{"a restart of what is paused", func(ctx context.Context, s *Session) error {
			_ = s.Pause(ctx)
			_ = s.Restart(ctx)
			return s.Resume(ctx)
		}, nil,
			"pause resume", []string{"paused: seen: pause", "error: restart the target: it is paused; end that first", "resumed: seen: resume"}, Inconclusive},
		{"one that forgets its pause", func(ctx context.Context, s *Session) error {
			if err := s.Pause(ctx); err != nil {
				return err
			}
			<-time.After(lease + time.Second)
			_ = s.Resume(ctx)
			return nil
		}, nil, "pause resume", []string{"paused: seen: pause", "error: paused: its lease of 1m0s expired, so it is put back", "resumed: seen: resume",
			"error: resume the target: this scenario did not change it, or it was put back before: its lease expired"}, Inconclusive},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			c, target := controlledTarget(row.fails)
			e, dir := run(t, target, testCatalogue(disturbing(row.drive)), everything)
			if got := strings.Join(c.told, " "); got != row.told {
				t.Errorf("the target was told %q, want %q", got, row.told)
			}
			marks := marksOf(t, dir, "x/one-order")
			for _, want := range row.marks {
				if len(marks) == 0 || !strings.HasPrefix(marks[0], want) {
					t.Fatalf("marks %q, want next %q", marks, want)
				}
				marks = marks[1:]
			}
			if got := e.Clauses[0].Verdict; got != row.verdict {
				t.Errorf("%s: %s, want %s", got, e.Clauses[0].Reason, row.verdict)
			}
		}))
	}
}

// TestTakenAwayIsNotLost: callers that the scenario's own kill turned away say
// nothing about the target; one that is turned away without it does.
func TestTakenAwayIsNotLost(t *testing.T) {
	for _, row := range []struct {
		name    string
		drive   func(c *controlled, ctx context.Context, s *Session)
		verdict Outcome
	}{
		{"while it is killed", func(_ *controlled, ctx context.Context, s *Session) {
			_ = s.Kill(ctx)
			s.Send(ctx, s.Case("meanwhile"), Attempt{Principal: "alice"})
			_ = s.Start(ctx)
		}, Pass},
		{"while it is dead by itself", func(c *controlled, ctx context.Context, s *Session) {
			_, _ = c.tell("dies", true)
			s.Send(ctx, s.Case("meanwhile"), Attempt{Principal: "alice"})
			_, _ = c.tell("lives", false)
		}, Inconclusive},
		{"dead after it was started", func(c *controlled, ctx context.Context, s *Session) {
			_ = s.Kill(ctx)
			_ = s.Start(ctx)
			_, _ = c.tell("dies", true)
			s.Send(ctx, s.Case("after"), Attempt{Principal: "alice"})
			_, _ = c.tell("lives", false)
		}, Inconclusive},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			c, target := controlledTarget(nil)
			e, _ := run(t, target, testCatalogue(disturbing(func(ctx context.Context, s *Session) error { row.drive(c, ctx, s); return nil })), everything)
			if got := e.Clauses[0].Verdict; got != row.verdict {
				t.Errorf("%s: %s, want %s", got, e.Clauses[0].Reason, row.verdict)
			}
		}))
	}
}

// TestAnswersThatComeLateAreNotLost: a caller whose refusal is seen only after
// the target came back was turned away by the kill, too.
func TestAnswersThatComeLateAreNotLost(t *testing.T) {
	bubble(func(t *testing.T) {
		_, target := controlledTarget(nil)
		x := disturbing(func(_ context.Context, s *Session) error {
			before := s.presence()
			s.takeAway(true)
			s.takeAway(false)
			s.lost(before, errors.New("refused meanwhile"))
			return nil
		})
		e, _ := run(t, target, testCatalogue(x), everything)
		if got := e.Clauses[0].Verdict; got != Pass {
			t.Errorf("%s: %s", got, e.Clauses[0].Reason)
		}
	})(t)
}

func TestOnlyExclusiveScenariosControl(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := controlledTarget(nil)
		x := disturbing(func(ctx context.Context, s *Session) error {
			_, _, _ = s.Kill(ctx), s.Pause(ctx), s.Restart(ctx)
			_, _ = s.MoveClock(ctx, time.Hour), s.SetFlag(ctx, "redrive", true)
			return nil
		})
		x.Exclusive = false
		e, dir := run(t, target, testCatalogue(x), everything)
		if len(c.told) > 0 || e.Clauses[0].Verdict != Inconclusive {
			t.Errorf("told %q, %s", c.told, e.Clauses[0].Verdict)
		}
		if marks := marksOf(t, dir, x.ID); len(marks) != 5 || !strings.Contains(marks[0], "has to be Exclusive") {
			t.Errorf("marks %q", marks)
		}
	})(t)
}

// TestInterruptedRunPutsBack: Ctrl-C ends the context of the run, not that under
// which the target is put back.
func TestInterruptedRunPutsBack(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := controlledTarget(nil)
		ctx, interrupt := context.WithCancel(t.Context())
		x := disturbing(func(ctx context.Context, s *Session) error {
			if err := s.Pause(ctx); err != nil {
				return err
			}
			interrupt()
			<-ctx.Done()
			return ctx.Err()
		})
		plan, err := NewPlan(RunInfo{ID: "run-1"}, target.Info, testCatalogue(x), everything)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		r, err := NewRunner(ctx, target, plan, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Scenario(ctx, x); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.told, " "); got != "pause resume" {
			t.Errorf("the target was told %q", got)
		}
	})(t)
}
