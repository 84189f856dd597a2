package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// stage is a client under test and the dependency that it calls, in one: it does
// what its fields say, and reports it as peers do.
type stage struct {
	requests int    // that the client sends for one call
	hides    bool   // refusals are made a success
	body     string // in place of the one that was sent
	err      error  // of the tool
	cannot   error  // of opening a peer

	mu     sync.Mutex // of what follows: two peers may be opened at once
	script Script
	see    func(Event)
}

func (s *stage) Open(_ context.Context, item string, script Script, see func(Event)) (Peer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.see = script, see
	return stagePeer{s, item}, s.cannot
}

type stagePeer struct {
	*stage
	item string
}

func (p stagePeer) URL() string                 { return "http://127.0.0.1:9" }
func (p stagePeer) Requests() int               { return p.requests }
func (p stagePeer) Met() []int                  { return []int{p.requests} }
func (p stagePeer) Knocks() int                 { return 0 }
func (p stagePeer) Connections() int            { return 0 }
func (p stagePeer) Close(context.Context) error { return nil }

func (s *stage) Call(_ context.Context, c ClientCall) (Request, Answer, error) {
	if s.err != nil {
		return Request{}, Answer{}, s.err
	}
	s.mu.Lock()
	step, see := s.script.Steps[0], s.see
	s.mu.Unlock()
	sum := func(text string) string {
		hash := sha256.Sum256([]byte(text))
		return hex.EncodeToString(hash[:])
	}
	for range s.requests {
		see(Event{Type: CallEvent, Call: &Call{Link: LinkDependency, Method: c.Method, Status: step.Status, Outcome: CallAnswered, Answers: sum(step.Body)}})
	}
	if step.Status >= 400 {
		if s.hides {
			return Request{}, Answer{Status: 200}, nil
		}
		return Request{}, Answer{Outcome: OutcomeError, Code: "NOT_FOUND"}, nil
	}
	body := step.Body
	if s.body != "" {
		body = s.body
	}
	return Request{}, Answer{Status: step.Status, BodySHA256: sum(body), BodyBytes: int64(len(body))}, nil
}

// clientTarget is a client behind a shim and nothing else.
func clientTarget(s *stage) *Target {
	return &Target{Client: s, Peers: map[Route]Peers{RouteShim: s}, Info: TargetInfo{
		Name: "client", Capabilities: []Capability{CapDependency}, Policy: RequiredPolicy(), Client: &ClientInfo{Name: "client"}}}
}

// called is a scenario that makes one call.
func called() Scenario {
	return Scenario{
		ID: "client/called", Title: "one call", Needs: Needs{"dependency"},
		Drive: func(ctx context.Context, s *Session) error {
			c := s.Case("shim-plain")
			d, err := s.Dependency(ctx, c, RouteShim, Script{Steps: []Step{{Status: 200}}})
			if err != nil {
				return err
			}
			return s.Call(ctx, c, RouteShim, ClientCall{Method: "GET", URL: d.URL() + "/x"}).Err
		},
		Checks: []Check{{Name: "answered", Clause: "C.1", Judge: func(h *History) Verdict {
			for e := range h.Events() {
				if e.Type == OK && e.Answer.Status == 200 {
					return Passed("it was")
				}
			}
			return Undecided("nothing came back")
		}}},
	}
}

// TestClientControl: a client is believed once a plain call went there and back,
// and a target that is only a client is asked no checkout.
func TestClientControl(t *testing.T) {
	for _, row := range []struct {
		name  string
		stage *stage
		exit  int
		says  string // of the control
		next  string
	}{
		{"works", &stage{requests: 1}, ExitGreen, "the client answers through the shim: a plain call put one request on the wire and came back unchanged", ""},
		{"sends more than once", &stage{requests: 2}, ExitInconclusive, "a plain call through the shim: the dependency answered the first request with 200, and 2 requests reached it", "client.shim"},
		{"calls somebody else", &stage{}, ExitInconclusive, "no request reached the dependency, and what came back was status 200", "client.shim"},
		{"changes the body", &stage{requests: 1, body: "{}"}, ExitInconclusive, "the body that came back (2 bytes, SHA-256 44136fa355b3) is not the one that the dependency sent (1024 bytes", "client.shim"},
		{"hides a refusal", &stage{requests: 1, hides: true}, ExitInconclusive, "a refused call through the shim: the dependency answered 404, and what came back was status 200", "client.shim"},
		{"shim fails", &stage{requests: 1, err: errors.New("shim http://x: status 500")}, ExitInconclusive, "a plain call through the shim: shim http://x: status 500", "client.shim"},
		{"no dependency", &stage{requests: 1, cannot: errors.New("no port")}, ExitInconclusive, "open the scripted dependency of control/client-shim-plain: no port", "is the address free"},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			e, dir := run(t, clientTarget(row.stage), testCatalogue(called(), oneOrder()), func(s Scenario) bool { return s.ID == "client/called" })
			if e.Run.Exit != row.exit || !strings.Contains(e.Run.Control.Reason, row.says) {
				t.Errorf("exit %d, control: %s", e.Run.Exit, e.Run.Control.Reason)
			}
			if got := strings.Join(e.Run.ControlNext, "; "); !strings.Contains(got, row.next) || row.next == "" && got != "" {
				t.Errorf("next: %s", got)
			}
			h, err := OpenHistory(HistoryFile(dir, ControlID))
			if err != nil {
				t.Fatal(err)
			}
			for e := range h.Events() {
				if e.Request != nil && e.Request.Operation == OpCheckout {
					t.Error("a checkout was sent to a target that has none")
				}
			}
		}))
	}
}

// TestControlOfBoth: a target with checkouts and a client has to pass both parts,
// and the reason speaks of both.
func TestControlOfBoth(t *testing.T) {
	for _, works := range []bool{true, false} {
		t.Run(fmt.Sprint(works), bubble(func(t *testing.T) {
			s := &stage{requests: 1, hides: !works}
			target := shopTarget(&shop{})
			target.Client, target.Peers, target.Info.Client = s, map[Route]Peers{RouteShim: s}, &ClientInfo{Name: "c"}
			target.Info.Capabilities = append(target.Info.Capabilities, CapDependency)
			e, _ := run(t, target, testCatalogue(called(), oneOrder()), everything)
			if got := e.Run.Control.Reason; works != (e.Run.Exit == ExitGreen) || !strings.Contains(got, "through the shim") || works && !strings.Contains(got, "the probe showed no effects") {
				t.Errorf("exit %d: %s", e.Run.Exit, got)
			}
		}))
	}
}

// TestJudgeCalls reads literal histories that no engine would leave.
func TestJudgeCalls(t *testing.T) {
	only := []Capability{CapDependency}
	for name, row := range map[string]struct {
		h    *History
		says string
	}{
		"empty":        {NewHistory(Header{Capabilities: only, Client: &ClientInfo{}}), "not carried out to its end"},
		"no route":     {NewHistory(Header{Capabilities: only}), "can be called in no way"},
		"not made":     {NewHistory(Header{Capabilities: only, Client: &ClientInfo{}}, Event{Type: MarkEvent, Mark: &Mark{Name: MarkEnd}}), "a plain call through the shim: it was not made"},
		"not put back": {NewHistory(Header{Capabilities: only, Client: &ClientInfo{}}, Event{Type: MarkEvent, Mark: &Mark{Name: MarkError, Detail: "left paused"}}), "left paused"},
		"gateway":      {NewHistory(Header{Capabilities: append(only, CapGateway)}, Event{Type: MarkEvent, Mark: &Mark{Name: MarkEnd}}), "a plain call through the gateway: it was not made"},
	} {
		if v := JudgeControl(row.h); v.Outcome != Inconclusive || !strings.Contains(v.Reason, row.says) {
			t.Errorf("%s: %s %s", name, v.Outcome, v.Reason)
		}
		if next := ControlNext(row.h); len(next) == 0 {
			t.Errorf("%s: no next step", name)
		}
	}
}
