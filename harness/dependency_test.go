package harness

import (
	"context"
	"slices"
	"testing"
	"time"
)

// scripted is a peer that shows what a test has it show.
type scripted struct {
	met    []int
	knocks int
	told   time.Time // when the door knows of those who knocked
	item   string
}

func (s *scripted) URL() string                 { return "http://127.0.0.1:1" }
func (s *scripted) Requests() int               { return len(s.met) }
func (s *scripted) Met() []int                  { return s.met }
func (s *scripted) Connections() int            { return 0 }
func (s *scripted) Close(context.Context) error { return nil }

func (s *scripted) Knocks() int {
	if time.Now().Before(s.told) {
		return 0
	}
	return s.knocks
}

func (s *scripted) Open(_ context.Context, item string, _ Script, _ func(Event)) (Peer, error) {
	s.item = item
	return s, nil
}

// calling is a client that gives an error back for every call.
type calling struct{ during func() }

func (c calling) Call(context.Context, ClientCall) (Request, Answer, error) {
	c.during()
	return Request{Method: "GET", Path: "/"}, Answer{Outcome: OutcomeError, Code: "DEPENDENCY_UNAVAILABLE"}, nil
}

// A fault is proven by the step or the door that was met. A refused door may know
// a moment later than its caller, and may have refused nobody.
func TestFaultsOfADependencyAreProven(t *testing.T) {
	const refused, full, broken = "dependency:refused", "dependency:full", "dependency#1+:reset"
	for _, c := range []struct {
		name   string
		door   Door
		knocks int
		late   time.Duration
		met    []int
		fired  []string
	}{
		{"refused", Door{Kind: DoorRefused}, 3, 0, nil, []string{refused}},
		{"refused, and told later", Door{Kind: DoorRefused}, 1, 700 * time.Millisecond, nil, []string{refused}},
		{"refused nobody", Door{Kind: DoorRefused}, 0, 0, nil, nil},
		{"refused nobody, and was open by then", Door{Kind: DoorRefused, For: 1}, 0, 0, []int{1}, []string{broken}},
		{"full", Door{Kind: DoorFull}, 1, 0, nil, []string{full}},
		{"full and nobody came", Door{Kind: DoorFull}, 0, 0, nil, nil},
		{"broken", Door{}, 1, 0, []int{1}, []string{broken}},
	} {
		t.Run(c.name, bubble(func(t *testing.T) {
			rec, err := NewRecorder(t.TempDir(), Header{Scenario: "t"}, NewClock(), nil)
			if err != nil {
				t.Fatal(err)
			}
			peer := &scripted{}
			target := &Target{Peers: map[Route]Peers{RouteShim: peer}, Client: calling{func() { peer.knocks, peer.met, peer.told = c.knocks, c.met, time.Now().Add(c.late) }}}
			s := newSession(target, &runState{id: "run", owner: map[string]string{}}, "t", rec)
			one := s.Case("one")
			d, err := s.Dependency(t.Context(), one, RouteShim, Script{Door: c.door, Steps: []Step{{Break: BreakReset}}})
			if err != nil {
				t.Fatal(err)
			}
			if peer.item != Item(one) {
				t.Errorf("the peer knows the case as %q", peer.item)
			}
			s.Call(t.Context(), one, RouteShim, ClientCall{Method: "GET", URL: d.URL()})
			if err := d.Close(t.Context()); err != nil {
				t.Error(err)
			}
			var fired []string
			for _, name := range d.faults() {
				if d.seen[name] {
					fired = append(fired, name)
				}
			}
			if !slices.Equal(fired, c.fired) {
				t.Errorf("fired %q, want %q", fired, c.fired)
			}
		}))
	}
}
