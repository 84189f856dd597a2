package harness

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// doorman lets some principals in and answers the others.
type doorman struct {
	*shop
	refuse map[string]map[string]int // principal -> operation -> status
	down   string                    // whose requests get no answer
	asked  map[string]int            // requests by principal, the refused ones included
}

func (d *doorman) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	d.mu.Lock()
	if d.asked == nil {
		d.asked = map[string]int{}
	}
	d.asked[a.Principal]++
	d.mu.Unlock()
	if a.Principal == d.down {
		return Request{BodySHA256: "b"}, Answer{}, fmt.Errorf("%w: refused", ErrNotSent)
	}
	if status := d.refuse[a.Principal][a.Operation]; status != 0 {
		return Request{BodySHA256: "b"}, Answer{Status: status, Code: "NO"}, nil
	}
	if a.Operation == OpStatus {
		return Request{}, d.find(a.Vars["requestId"]), nil
	}
	a.Keys = append([]string{a.Principal}, a.Keys...) // a scope for each principal
	return d.shop.Send(ctx, a)
}

// asBob uses one key as two customers; whoever bob is, he must get an order.
func asBob() Scenario {
	s := oneOrder()
	s.ID = "x/as-bob"
	s.Drive = func(ctx context.Context, s *Session) error {
		c := s.Case("c")
		s.Send(ctx, c, Attempt{Principal: "alice"})
		s.Send(ctx, c, Attempt{Principal: "bob"})
		return nil
	}
	s.Checks = []Check{{Name: "own-order", Clause: "C.2", Invariant: "I1", Gates: Gates{Effects: true}, Judge: func(h *History) Verdict {
		for e := range h.Events() {
			if e.Type == OK && h.Header.Dialect.Classify(*e.Answer) != ClassSuccess {
				return Failed("an order", fmt.Sprint(e.Answer.Status), e.Seq)
			}
		}
		return Passed("all got orders")
	}}}
	return s
}

func TestPrincipalsAreTriedBeforeTheyAreUsed(t *testing.T) {
	every := func(status int) map[string]int { return map[string]int{OpCheckout: status, OpStatus: status} }
	for _, row := range []struct {
		name    string
		refuse  map[string]map[string]int
		down    string
		clauses [2]Outcome // of alice's scenario and of bob's
		exit    int
		says    string // of the principal that does not work
	}{
		{"all work", nil, "", [2]Outcome{Pass, Pass}, ExitGreen, ""},
		{"bob's token is refused", map[string]map[string]int{"bob": every(401)}, "", [2]Outcome{Pass, Inconclusive}, ExitInconclusive, "bob: it cannot authenticate: a plain checkout was answered status 401 NO"},
		{"bob is forbidden", map[string]map[string]int{"bob": every(403)}, "", [2]Outcome{Pass, Inconclusive}, ExitInconclusive, "bob: it cannot authenticate"},
		{"bob may not buy", map[string]map[string]int{"bob": every(422)}, "", [2]Outcome{Pass, Inconclusive}, ExitInconclusive, "bob: it cannot make a plain checkout: the answer was status 422 NO"},
		{"bob gets no answer", nil, "bob", [2]Outcome{Pass, Inconclusive}, ExitInconclusive, "bob: a plain checkout got no answer"},
		{"support's token is refused", map[string]map[string]int{"support": every(401)}, "", [2]Outcome{Pass, Pass}, ExitInconclusive, "support: it cannot authenticate: a status read"},
		{"support is forbidden everything", map[string]map[string]int{"support": every(403)}, "", [2]Outcome{Pass, Pass}, ExitInconclusive, "support: it cannot authenticate: a status read"},
		{"support may not buy, and need not", map[string]map[string]int{"support": {OpCheckout: 403}}, "", [2]Outcome{Pass, Pass}, ExitGreen, ""},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			d := &doorman{shop: &shop{}, refuse: row.refuse, down: row.down}
			target := shopTarget(d.shop)
			target.Sender = d
			target.Info.Capabilities = append(target.Info.Capabilities, CapStatus)
			target.Info.Principals = []Principal{{Name: "alice", Tenant: "t1"}, {Name: "bob", Tenant: "t1"}, {Name: "support", Tenant: "t1", Roles: []string{"support"}}}
			e, dir := run(t, target, testCatalogue(oneOrder(), asBob()), everything)
			for i, want := range row.clauses {
				if got := e.Clauses[i]; got.Verdict != want {
					t.Errorf("clause %s: %s (%s), want %s", got.ID, got.Verdict, got.Reason, want)
				}
			}
			if e.Run.Exit != row.exit {
				t.Errorf("exit %d, want %d", e.Run.Exit, row.exit)
			}
			if len(e.Run.Principals) != 2 {
				t.Errorf("tried %v, want bob and support", e.Run.Principals)
			}
			said := ""
			for _, p := range e.Run.Unusable() {
				said += p.Name + ": " + p.Reason
			}
			if !strings.Contains(said, row.says) || row.says == "" && said != "" {
				t.Errorf("said %q, want %q", said, row.says)
			}
			if row.clauses == [2]Outcome{Pass, Inconclusive} && (!strings.Contains(e.Clauses[1].Reason, "principal bob is of no use") || d.asked["bob"] != 1) {
				t.Errorf("reason %q after %d requests, want that nothing more was sent", e.Clauses[1].Reason, d.asked["bob"])
			}
			if e.Invariants[0].Verdict == Fail {
				t.Errorf("the invariant failed: %s", e.Invariants[0].Reason)
			}
			again, err := os.ReadFile(HistoryFile(dir, ControlID))
			if err != nil || strings.Count(string(again), `"principal-works"`)+strings.Count(string(again), `"principal-unusable"`) != 2 {
				t.Errorf("the control's history does not say what became of them: %v", err)
			}
		}))
	}
}

func TestJudgePrincipals(t *testing.T) {
	mark := func(id, name, detail string) Event {
		return Event{Type: MarkEvent, Case: id, Mark: &Mark{Name: name, Detail: detail}}
	}
	h := NewHistory(Header{}, mark("control/principal-bob", markPrincipalUnusable, "no"), mark("control/first", markPrincipalWorks, ""),
		mark("control/principal-carol", markPrincipalWorks, "yes"), mark("control/principal-dave", MarkPending, "open"))
	got := JudgePrincipals(h)
	want := []Tried{{"bob", false, "no"}, {"carol", true, "yes"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}
