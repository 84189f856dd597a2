package harness

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// orderingNFR sends one order and counts what the ledger shows of it.
func orderingNFR() NFR {
	return NFR{
		ID: "NFR-X/one", Clause: "C.2", Property: "once", Title: "one order", Needs: Needs{"checkout", "effects"}, Limit: time.Hour,
		Preregistered: Preregistered{Claim: "one order", Threshold: 0.99, Confidence: 0.5, N: 1, Concurrency: 1, Mix: []string{"none"}, Stop: "all orders are sent"},
		Drive: func(ctx context.Context, s *Series) error {
			s.Send(ctx, s.Case("one"), Attempt{Principal: "alice"})
			return nil
		},
		Judge: func(h *History) Measured {
			m, left := Measured{N: 1, UpperBound: 0.1, Verdict: Passed("one effect")}, 0
			for e := range h.Events() {
				if e.Type == EffectEvent {
					left++
				}
			}
			if left != 1 {
				m.Violations, m.Gross, m.Verdict = 1, 1, Failed("one effect", fmt.Sprint(left))
			}
			return m
		},
	}
}

// TestLateEffectsOfASeries: an effect that comes after its series has settled
// still counts.
func TestLateEffectsOfASeries(t *testing.T) {
	for name, row := range map[string]struct {
		reference func(string) string
		want      Outcome
	}{
		"of the same cart": {func(cart string) string { return cart }, Fail},
		"of nobody's cart": {func(string) string { return "unheard-of" }, Pass},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			s := &lateShop{reference: row.reference}
			target := shopTarget(&s.shop)
			target.Sender, target.Probe = s, s
			e, _, _ := measure(t, target, orderingNFR())
			if r := e.NFRs[0]; r.Verdict != row.want || e.Clauses[1].Verdict != row.want {
				t.Errorf("%s (%s), clause %s, want %s", r.Verdict, r.Reason, e.Clauses[1].Verdict, row.want)
			}
		}))
	}
}

// TestASeriesWithoutTheAftermath: one that counts effects is not believed if the
// ledger was not read again, or shows no more what it had shown; one that counts
// none is.
func TestASeriesWithoutTheAftermath(t *testing.T) {
	vanished := aftermath{of: map[string]*reading{"": {vanished: "an entry is gone"}}}
	unread := aftermath{of: map[string]*reading{"": {problem: "the probe is gone"}}}
	bubble(func(t *testing.T) {
		n := orderingNFR()
		e, plan, dir := measure(t, shopTarget(&shop{}), n)
		if e.NFRs[0].Verdict != Pass {
			t.Fatalf("one order: %s (%s)", e.NFRs[0].Verdict, e.NFRs[0].Reason)
		}
		blind := n
		blind.Needs = Needs{"checkout"}
		for name, row := range map[string]struct {
			n     NFR
			after aftermath
			want  Outcome
			says  string
		}{
			"read again":                         {n, aftermath{of: map[string]*reading{"": {}}}, Pass, "one effect"},
			"not read again":                     {n, aftermath{}, Inconclusive, "not read again"},
			"could not be read":                  {n, unread, Inconclusive, "the probe is gone"},
			"entries vanished":                   {n, vanished, Inconclusive, "an entry is gone"},
			"not read again yet":                 {n, aftermath{provisional: true}, Pass, "one effect"},
			"it counts no effects":               {blind, aftermath{}, Pass, "one effect"},
			"vanished, and it counts no effects": {blind, vanished, Pass, "one effect"},
		} {
			if r, _ := judgeNFR(dir, row.n, plan.NFRs[0], e.Run, row.after); r.Verdict != row.want || !strings.Contains(r.Reason, row.says) {
				t.Errorf("%s: %s (%s), want %s", name, r.Verdict, r.Reason, row.want)
			}
		}
		if err := os.Remove(HistoryFile(dir, AftermathID)); err != nil {
			t.Fatal(err)
		}
		catalogue := testCatalogue(oneOrder())
		catalogue.NFRs = []NFR{n}
		if e, err := JudgeRun(dir, plan, catalogue, time.Now()); err != nil || e.NFRs[0].Verdict != Inconclusive {
			t.Errorf("judged without the last reading: %+v, %v", e.NFRs, err)
		}
	})(t)
}
