package harness

import (
	"context"
	"fmt"
	"time"
)

// What a session does to its target's processes, clock and flags. Two rules hold
// for all of it: what happened is believed only if it was seen from outside, and
// what was changed is put back, whatever becomes of the scenario.

// Kill kills the target without warning. It stays down until [Session.Start], at
// the latest until the scenario ends.
func (s *Session) Kill(ctx context.Context) error {
	killer := s.target.Control.Kill
	if killer == nil {
		return s.notOffered("kill the target", "control.http, or control.commands.kill and start")
	}
	if err := s.undisturbed("kill the target"); err != nil {
		return err
	}
	s.hold(&change{name: changeKilled, takes: true, back: func(ctx context.Context) error {
		return s.act(ctx, "start the target", MarkStarted, killer.Start)
	}})
	return s.act(ctx, "kill the target", MarkKilled, func(ctx context.Context) (string, error) { return killer.Kill(ctx, keptFor) })
}

// Start starts the target that the session killed, and waits until it answers.
func (s *Session) Start(ctx context.Context) error {
	return s.end(ctx, changeKilled, "start the target")
}

// Pause stops the target's processes: its connections stay open, and nobody
// answers. It lasts until [Session.Resume], at the latest until the scenario
// ends.
func (s *Session) Pause(ctx context.Context) error {
	pauser := s.target.Control.Pause
	if pauser == nil {
		return s.notOffered("pause the target", "control.http, or control.commands.pause and resume")
	}
	if err := s.undisturbed("pause the target"); err != nil {
		return err
	}
	s.hold(&change{name: changePaused, takes: true, back: func(ctx context.Context) error {
		return s.act(ctx, "resume the target", MarkResumed, pauser.Resume)
	}})
	return s.act(ctx, "pause the target", MarkPaused, func(ctx context.Context) (string, error) { return pauser.Pause(ctx, keptFor) })
}

// Resume lets the paused target go on, and waits until it answers.
func (s *Session) Resume(ctx context.Context) error {
	return s.end(ctx, changePaused, "resume the target")
}

// MoveClock sets the target's clock to an offset from where it was before the
// session moved it; 0 puts it back.
func (s *Session) MoveClock(ctx context.Context, offset time.Duration) error {
	clock := s.target.Control.Clock
	if clock == nil {
		return s.notOffered("move the target's clock", "control.clock")
	}
	if err := s.exclusively("move the target's clock"); err != nil {
		return err
	}
	move := func(offset time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			return s.act(ctx, "move the target's clock", MarkClock, func(ctx context.Context) (string, error) { return clock.Move(ctx, offset, keptFor) })
		}
	}
	if offset == 0 {
		return s.end(ctx, changeClock, "put the target's clock back")
	}
	if s.held(changeClock) == nil {
		s.hold(&change{name: changeClock, back: move(0)})
	}
	return move(offset)(ctx)
}

// SetFlag switches a feature of the target. At the end of the scenario it is
// switched back to what it was.
func (s *Session) SetFlag(ctx context.Context, name string, on bool) error {
	doing := fmt.Sprintf("switch the flag %s %s", name, onOff(on))
	flag := s.target.Control.Flags[name]
	if flag == nil {
		return s.notOffered(doing, "control.flag."+name)
	}
	if err := s.exclusively(doing); err != nil {
		return err
	}
	if s.held(changeFlag+name) == nil {
		before, err := flag.State(ctx)
		if err != nil {
			return s.unproven(fmt.Errorf("%s: its state before: %w", doing, err))
		}
		s.hold(&change{name: changeFlag + name, back: func(ctx context.Context) error {
			return s.act(ctx, "switch the flag "+name+" back", MarkFlag, func(ctx context.Context) (string, error) { return flag.Set(ctx, before, keptFor) })
		}})
	}
	return s.act(ctx, doing, MarkFlag, func(ctx context.Context) (string, error) { return flag.Set(ctx, on, keptFor) })
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// keptFor is how long the target stays changed if this process dies, where
// something else can put it back: longer than our own lease, which ends first.
const keptFor = lease + 15*time.Second

// act carries out one control and records what proves that it happened. What
// cannot be proven is recorded too, so that no scenario can pass by ignoring it.
func (s *Session) act(ctx context.Context, doing, mark string, do func(context.Context) (string, error)) error {
	began := time.Now()
	seen, err := do(ctx)
	if err != nil {
		return s.unproven(fmt.Errorf("%s: %w", doing, err))
	}
	s.Note(s.saw(seen), mark, seen, map[string]int64{"tookMs": time.Since(began).Milliseconds()})
	return nil
}

func (s *Session) unproven(err error) error {
	s.Note(s.saw(""), MarkError, err.Error(), nil)
	return err
}

func (s *Session) notOffered(doing, key string) error {
	return s.unproven(fmt.Errorf("%s: the profile does not offer it; declare %s", doing, key))
}

// exclusively refuses what would disturb scenarios beside this one.
func (s *Session) exclusively(doing string) error {
	s.mu.Lock()
	exclusive := s.exclusive
	s.mu.Unlock()
	if !exclusive {
		return s.unproven(fmt.Errorf("%s: scenario %s shares the target with others; it has to be Exclusive", doing, s.id))
	}
	return nil
}

// disturbsNoMore ends what an exclusive scenario is allowed, and reports whether
// all that it changed is put back.
func (s *Session) disturbsNoMore() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exclusive = false
	return len(s.changes) == 0
}

// undisturbed also refuses to act on processes that are down or stopped: what
// proves the one cannot be told from the other.
func (s *Session) undisturbed(doing string) error {
	if err := s.exclusively(doing); err != nil {
		return err
	}
	for _, name := range []string{changeKilled, changePaused} {
		if s.held(name) != nil {
			return s.unproven(fmt.Errorf("%s: it is %s; end that first", doing, name))
		}
	}
	return nil
}
