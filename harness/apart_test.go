package harness

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// apartTarget is a shop that can be taken away, and a client behind a shim.
func apartTarget(apart bool) (*controlled, *Target) {
	c, t := controlledTarget(nil)
	one := &stage{requests: 1}
	t.Client, t.Peers = one, map[Route]Peers{RouteShim: one, RouteGateway: one}
	t.Info.Client = &ClientInfo{Name: "client", Apart: apart}
	t.Info.Capabilities = append(t.Info.Capabilities, CapDependency)
	return c, t
}

// TestAClientThatIsApartIsTriedBesideTheTarget: what disturbs the one goes on while
// the other is disturbed, and neither scenario may meet what the other does.
func TestAClientThatIsApartIsTriedBesideTheTarget(t *testing.T) {
	callShim := func(ctx context.Context, s *Session) error {
		c := s.Case("c")
		d, err := s.Dependency(ctx, c, RouteShim, Script{Steps: []Step{{Status: 200}}})
		if err != nil {
			return err
		}
		s.Call(ctx, c, RouteShim, ClientCall{Method: "GET", URL: d.URL() + "/x"})
		return nil
	}
	const onlyClient = "it disturbs the client only, and others use the target meanwhile"
	for _, row := range []struct {
		name               string
		apart              bool
		sockets, clock     func(ctx context.Context, s *Session) error
		beside             bool
		atSockets, atClock string // what the scenarios were refused
	}{
		{"each keeps to its own", true, callShim, func(ctx context.Context, s *Session) error { return s.MoveClock(ctx, time.Hour) }, true, "", ""},
		{"not known to be apart", false, callShim, func(ctx context.Context, s *Session) error { return s.MoveClock(ctx, time.Hour) }, false, "", ""},
		{"the target's calls the client", true, callShim, callShim, true, "", "scenario x/sockets has the client for itself"},
		{"the client's calls the target", true, func(ctx context.Context, s *Session) error {
			s.Send(ctx, s.Case("c"), Attempt{Principal: "alice"})
			return nil
		}, func(context.Context, *Session) error { return nil }, true, "may not call the target: " + onlyClient, ""},
		{"the client's calls the gateway", true, func(ctx context.Context, s *Session) error {
			s.Call(ctx, s.Case("c"), RouteGateway, ClientCall{Method: "GET"})
			return nil
		}, func(context.Context, *Session) error { return nil }, true, "may not call the gateway: " + onlyClient, ""},
		{"the client's changes the target", true, func(ctx context.Context, s *Session) error { _ = s.MoveClock(ctx, time.Hour); return nil },
			func(context.Context, *Session) error { return nil }, true, "scenario x/sockets shares the target with others", ""},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			_, target := apartTarget(row.apart)
			var mu sync.Mutex
			spans := map[string][2]time.Time{}
			lasting := func(id string, drive func(ctx context.Context, s *Session) error) Scenario {
				x := oneOrder()
				x.ID, x.Exclusive = id, true
				x.Checks = []Check{{Name: "done", Clause: "C.1", Judge: func(*History) Verdict { return Passed("done") }}}
				x.Drive = func(ctx context.Context, s *Session) error {
					began := time.Now()
					<-time.After(time.Second)
					err := drive(ctx, s)
					<-time.After(time.Second)
					mu.Lock()
					spans[id] = [2]time.Time{began, time.Now()}
					mu.Unlock()
					return err
				}
				return x
			}
			sockets := lasting("x/sockets", row.sockets)
			sockets.ClientOnly, sockets.Needs = true, Needs{string(CapDependency)}
			_, dir := run(t, target, testCatalogue(sockets, lasting("x/clock", row.clock)), everything)
			a, b := spans["x/sockets"], spans["x/clock"]
			if beside := a[0].Before(b[1]) && b[0].Before(a[1]); beside != row.beside {
				t.Errorf("side by side: %t", beside)
			}
			for id, want := range map[string]string{"x/sockets": row.atSockets, "x/clock": row.atClock} {
				marks := fmt.Sprint(marksOf(t, dir, id))
				if strings.Contains(marks, MarkError) != (want != "") || !strings.Contains(marks, want) {
					t.Errorf("%s: marks %s, want %q", id, marks, want)
				}
				if strings.Contains(marks, MarkLost) {
					t.Errorf("%s: what it was refused was taken for a target that is gone: %s", id, marks)
				}
			}
		}))
	}
}
