package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"
)

func idsOf(scenarios []Scenario) string {
	var ids []string
	for _, s := range scenarios {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, " ")
}

func TestTurns(t *testing.T) {
	restart := Needs{"checkout", string(CapProcessControl)}
	planned := []Scenario{
		{ID: "shared"},
		{ID: "clock", Exclusive: true, Needs: Needs{string(CapClock)}},
		{ID: "restart", Exclusive: true, Needs: restart},
		{ID: "restart-timed", Exclusive: true, Needs: restart, Timed: true},
		{ID: "kill", Exclusive: true, Needs: Needs{string(CapProcessKill)}},
		{ID: "counting", Exclusive: true},
		{ID: "shared-timed", Timed: true},
		{ID: "shared-long", Long: func(Policy) time.Duration { return time.Minute }},
		{ID: "shared-too", Needs: restart},
		{ID: "shared-lasting", Lasts: 5 * time.Second},
		{ID: "sockets", Exclusive: true, ClientOnly: true, Timed: true},
	}
	for apart, want := range map[bool][2]string{false: {"clock restart-timed kill counting sockets", ""}, true: {"clock restart-timed kill counting", "sockets"}} {
		got := newTurns(planned, Policy{}, apart)
		if first, waiting, brisk := idsOf(got.first), idsOf(got.waiting), idsOf(got.brisk); first != "restart" || waiting != "shared-long shared-lasting shared-timed" || brisk != "shared shared-too" {
			t.Errorf("first %q, waiting %q, brisk %q", first, waiting, brisk)
		}
		if last, client := idsOf(got.last), idsOf(got.client); last != want[0] || client != want[1] {
			t.Errorf("the client apart: %t: last %q, client %q, want %q", apart, last, client, want)
		}
	}
}

// TestTheLongestBeginsFirst: by what it says of itself, and else by what a call may take
// where times are measured.
func TestTheLongestBeginsFirst(t *testing.T) {
	var policy Policy
	policy.Client.Total = Duration(10 * time.Second)
	scenarios := []Scenario{{ID: "brisk"}, {ID: "7", Lasts: 7 * time.Second}, {ID: "timed", Timed: true}, {ID: "3", Timed: true, Lasts: 3 * time.Second},
		{ID: "20", Long: func(p Policy) time.Duration { return 2 * p.Client.Total.Std() }}, {ID: "7 again", Lasts: 7 * time.Second}, {ID: "brisk, too"}}
	longestFirst(scenarios, policy)
	if got, want := idsOf(scenarios), "20 timed 7 7 again 3 brisk brisk, too"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTurnsAreTakenApart: whoever disturbs the target does so while nobody else
// uses it.
func TestTurnsAreTakenApart(t *testing.T) {
	kill := Needs{string(CapProcessKill)}
	planned := []Scenario{{ID: "a"}, {ID: "b"}, {ID: "clock", Exclusive: true}, {ID: "flag", Exclusive: true}, {ID: "sockets", Exclusive: true, ClientOnly: true},
		{ID: "kill", Exclusive: true, Needs: kill}, {ID: "kill again", Exclusive: true, Needs: kill}}
	broken := errors.New("the disk is full")
	for _, row := range []struct {
		name   string
		backAt time.Duration // when a scenario hands the target back; 0: never
		fails  string
		want   map[string]time.Duration // when each begins
	}{
		{"handed back", time.Second, "", map[string]time.Duration{"kill": 0, "a": time.Second, "b": time.Second, "clock": 11 * time.Second, "sockets": 11 * time.Second, "flag": 21 * time.Second, "kill again": 31 * time.Second}},
		{"kept to the end", 0, "", map[string]time.Duration{"kill": 0, "a": 10 * time.Second, "b": 10 * time.Second, "clock": 20 * time.Second, "sockets": 20 * time.Second, "flag": 30 * time.Second, "kill again": 40 * time.Second}},
		{"one cannot be recorded", time.Second, "kill", map[string]time.Duration{"kill": 0, "a": time.Second, "b": time.Second}},
		{"one panics", 0, "panic", nil},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			var mu sync.Mutex
			began, begins := time.Now(), map[string]time.Duration{}
			err := newTurns(planned, Policy{}, true).take(2, func(s Scenario, handBack func()) error {
				mu.Lock()
				begins[s.ID] = time.Since(began)
				mu.Unlock()
				if row.backAt > 0 {
					time.AfterFunc(row.backAt, handBack)
				}
				<-time.After(10 * time.Second)
				switch {
				case s.ID == row.fails:
					return broken
				case row.fails == "panic" && s.ID == "kill again":
					panic("out of range")
				}
				return nil
			}, func() {})
			if row.fails == "" && err != nil || row.fails == "kill" && !errors.Is(err, broken) || row.fails == "panic" && err == nil {
				t.Errorf("ended with %v", err)
			}
			if row.want != nil && !maps.Equal(begins, row.want) {
				t.Errorf("began at %v, want %v", begins, row.want)
			}
		}))
	}
}

// TestWhatIsAtWorkIsOverFirst: a third of the jobs is for it, and whoever waits for a
// calmer machine need not wait for what itself only waits, nor for the last few.
func TestWhatIsAtWorkIsOverFirst(t *testing.T) {
	bubble(func(t *testing.T) {
		var planned []Scenario
		for i := range 8 {
			planned = append(planned, Scenario{ID: fmt.Sprint("waiting ", i), Timed: true}, Scenario{ID: fmt.Sprint("at work ", i)})
		}
		var mu sync.Mutex
		began, atWork, most, calm := time.Now(), 0, 0, time.Duration(0)
		err := newTurns(planned, Policy{}, false).take(6, func(s Scenario, _ func()) error {
			if s.Timed {
				<-time.After(20 * time.Second)
				return nil
			}
			mu.Lock()
			atWork++
			most = max(most, atWork)
			mu.Unlock()
			<-time.After(time.Second)
			mu.Lock()
			atWork--
			mu.Unlock()
			return nil
		}, sync.OnceFunc(func() { calm = time.Since(began) }))
		if err != nil || most != 2 || calm != 3*time.Second || time.Since(began) != 40*time.Second {
			t.Errorf("%d at work at once, calm after %s, over after %s: %v", most, calm, time.Since(began), err)
		}
	})(t)
}

// unansweredShop gives the first customer of a cart no answer until it has
// recovered, long after it was restarted.
type unansweredShop struct {
	*controlled
	cart  string
	until time.Time
}

func (u *unansweredShop) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	if a.CaseID == u.cart && time.Now().Before(u.until) {
		return Request{}, Answer{}, errors.New("the connection broke")
	}
	return u.shop.Send(ctx, a)
}

// TestARestartIsWaitedOutBesideOthers: what a restart leaves open is asked for
// while others use the target, whom it can disturb no more.
func TestARestartIsWaitedOutBesideOthers(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := controlledTarget(nil)
		target.Info.Capabilities = append(target.Info.Capabilities, CapProcessControl)
		u := &unansweredShop{controlled: c, cart: "x/restarted/c"}
		target.Sender = u
		var refused error
		var late sync.WaitGroup
		restarted := oneOrder()
		restarted.ID, restarted.Exclusive, restarted.Checks[0].Clause = "x/restarted", true, "C.2"
		restarted.Needs = Needs{"checkout", string(CapProcessControl)}
		var back time.Time
		restarted.Drive = func(ctx context.Context, s *Session) error {
			u.until = time.Now().Add(5 * time.Second)
			s.Send(ctx, s.Case("c"), Attempt{Principal: "alice"})
			if err := s.Restart(ctx); err != nil {
				return err
			}
			back = time.Now()
			late.Go(func() {
				<-time.After(time.Second)
				refused = s.exclusively("restart it once more")
			})
			return nil
		}
		beside := oneOrder()
		var began, ended time.Time
		drive := beside.Drive
		beside.Drive = func(ctx context.Context, s *Session) error {
			began = time.Now()
			defer func() { ended = time.Now() }()
			return drive(ctx, s)
		}
		e, _ := run(t, target, testCatalogue(beside, restarted), everything)
		late.Wait()
		if began.Before(back) || ended.After(u.until) {
			t.Errorf("the target was handed back at %s and answered again at %s; the other scenario went from %s to %s", back, u.until, began, ended)
		}
		if refused == nil || !strings.Contains(refused.Error(), "has to be Exclusive") {
			t.Errorf("a scenario that had handed the target back was allowed to disturb it: %v", refused)
		}
		if e.Clauses[0].Verdict != Pass || e.Clauses[1].Verdict != Inconclusive { // by what it was refused
			t.Errorf("%s %s; %s %s", e.Clauses[0].Verdict, e.Clauses[0].Reason, e.Clauses[1].Verdict, e.Clauses[1].Reason)
		}
	})(t)
}

// TestATargetThatIsLeftDownIsTriedNoMore: what it would answer is not the
// target's to answer for.
func TestATargetThatIsLeftDownIsTriedNoMore(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := controlledTarget(map[string]error{"start": errors.New("no such program")})
		target.Info.Capabilities = append(target.Info.Capabilities, CapProcessKill)
		killed := disturbing(func(ctx context.Context, s *Session) error { return s.Kill(ctx) })
		killed.ID, killed.Checks[0].Clause, killed.Needs = "x/killed", "C.2", Needs{string(CapProcessKill)}
		wrong := oneOrder()
		wrong.Drive = func(context.Context, *Session) error {
			t.Error("it was tried")
			return nil
		}
		wrong.Checks = []Check{{Name: "answers", Clause: "C.1", Judge: func(*History) Verdict { return Failed("an answer", "none") }}}
		e, _ := run(t, target, testCatalogue(wrong, killed), everything)
		if got := e.Clauses[0]; got.Verdict != Inconclusive || !strings.Contains(got.Reason, NotPutBack+"killed: start the target") || e.Run.Exit != ExitInconclusive {
			t.Errorf("%s %s, exit %d, told %q", got.Verdict, got.Reason, e.Run.Exit, c.told)
		}
	})(t)
}

// forgetfulShop keeps its ledger in the memory of the process that is restarted.
type forgetfulShop struct{ *controlled }

func (f *forgetfulShop) Restart(ctx context.Context) (string, error) {
	f.mu.Lock()
	f.ledger = nil
	f.mu.Unlock()
	return f.controlled.Restart(ctx)
}

// TestALedgerThatBeginsAnewIsFoundOut: its new entries have the numbers of those
// that it lost, and what a scenario reads after its own place in it is less than
// was done.
func TestALedgerThatBeginsAnewIsFoundOut(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := controlledTarget(nil)
		target.Info.Capabilities = append(target.Info.Capabilities, CapProcessControl)
		target.Control.Restart = &forgetfulShop{c}
		restarted := oneOrder()
		restarted.ID, restarted.Exclusive, restarted.Needs = "x/restarted", true, Needs{string(CapProcessControl)}
		restarted.Checks = []Check{{Name: "anything", Clause: "C.2", Judge: func(*History) Verdict { return Passed("restarted") }}}
		restarted.Drive = func(ctx context.Context, s *Session) error {
			if err := s.Restart(ctx); err != nil {
				return err
			}
			for i := range 10 { // as many entries as were lost, and more
				s.Send(ctx, s.Case(fmt.Sprint("c", i)), Attempt{Principal: "alice"})
			}
			return nil
		}
		e, _ := run(t, target, testCatalogue(oneOrder(), restarted), everything)
		if got := e.Clauses[0]; got.Verdict != Inconclusive || !strings.Contains(got.Reason, "a ledger only grows") || e.Run.Exit != ExitInconclusive {
			t.Errorf("%s %s, exit %d", got.Verdict, got.Reason, e.Run.Exit)
		}
	})(t)
}
