package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowded is a client that takes its time for each call of a series.
type crowded struct {
	*stage
	takes func(n int) time.Duration
	fails error // of the tool, in the series only

	mu        sync.Mutex
	now, most int
	numbers   map[int]int
}

func (c *crowded) Call(ctx context.Context, call ClientCall) (Request, Answer, error) {
	n := CallNumber(pathOf(call.URL))
	if n == 0 { // of the control
		return c.stage.Call(ctx, call)
	}
	if c.fails != nil {
		return Request{}, Answer{}, c.fails
	}
	c.mu.Lock()
	c.now++
	c.most = max(c.most, c.now)
	c.numbers[n]++
	c.mu.Unlock()
	select {
	case <-time.After(c.takes(n)):
	case <-ctx.Done():
		return Request{}, Answer{}, context.Cause(ctx)
	}
	c.see(Event{Type: CallEvent, Call: &Call{Link: LinkDependency, Path: pathOf(call.URL), Lines: [][2]string{{"A", "b"}}, Outcome: CallReset, Fault: "dependency#1+:reset"}})
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
	return Request{}, Answer{Status: 503, Outcome: OutcomeError, Code: "DEPENDENCY_UNAVAILABLE", Body: "a long text"}, nil
}

func crowdedTarget(c *crowded) *Target {
	c.stage, c.numbers = &stage{requests: 1}, map[int]int{}
	target := clientTarget(c.stage)
	target.Client = c
	return target
}

// patientNFR has calls measured of which at most a second is allowed.
func patientNFR(calls, callers int) NFR {
	return NFR{
		ID: "NFR-X/one", Clause: "C.2", Property: "is-quick", Title: "calls are quick", Needs: Needs{"dependency"}, Limit: time.Hour,
		Preregistered: Preregistered{Claim: "calls are quick", Threshold: 0.1, Confidence: 0.95, N: calls, Concurrency: callers, Mix: []string{"reset"}, Stop: "all calls are made"},
		Drive: func(ctx context.Context, s *Series) error {
			d, err := s.Dependency(ctx, s.Case("one"), RouteShim, Script{Steps: []Step{{Break: BreakReset}}})
			if err != nil {
				return err
			}
			return s.Make(ctx, Crowd{Name: CrowdCounted, Calls: s.Planned.N, Callers: s.Planned.Concurrency, Spread: time.Second}, func(int) Wanted {
				return Wanted{Of: d, Route: RouteShim, Call: ClientCall{Method: "GET", URL: d.URL() + "/items/" + d.Item()}}
			})
		},
		Judge: func(h *History) Measured {
			m, began := Measured{UpperBound: 0.09}, map[string]time.Duration{}
			for e := range h.Events() {
				switch e.Type {
				case Invoke:
					began[e.Op] = e.At
				case OK:
					m.N++
					if e.At-began[e.Op] > time.Second {
						m.Violations++
					}
				}
			}
			m.Verdict = Passed("all quick")
			if m.Violations > 0 {
				m.Verdict = Failed("quick calls", fmt.Sprint(m.Violations, " slow ones"))
			}
			if m.N < h.Header.NFR.N {
				m.Verdict = Undecided("too few")
			}
			return m
		},
	}
}

func measure(t *testing.T, target *Target, n NFR) (Evidence, Plan, string) {
	t.Helper()
	catalogue := testCatalogue(oneOrder())
	catalogue.NFRs = []NFR{n}
	plan, err := NewMeasurePlan(RunInfo{ID: "run-1", Seed: 7, Lane: LaneNFR, Repeat: "oncecheck run --seed 7 --lane nfr"}, target.Info, catalogue, func(NFR) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r, err := NewRunner(t.Context(), target, plan, dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Run(t.Context(), r, catalogue, Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	again, err := JudgeRun(dir, plan, catalogue, e.Run.Finished)
	if was, is := fmt.Sprint(e.NFRs, e.Totals, e.Run.Exit), fmt.Sprint(again.NFRs, again.Totals, again.Run.Exit); err != nil || was != is {
		t.Errorf("judged again: %s, %v, was %s", is, err, was)
	}
	return e, plan, dir
}

func TestSeries(t *testing.T) {
	quick := func(int) time.Duration { return 900 * time.Millisecond }
	for _, row := range []struct {
		name    string
		client  *crowded
		spoil   func(*NFR)
		verdict Outcome
		n       int
		exit    int
		reason  string
	}{
		{"quick", &crowded{takes: quick}, nil, Pass, 300, ExitGreen, "all quick"},
		{"one is slow", &crowded{takes: func(n int) time.Duration { return time.Duration(1+n/300) * 900 * time.Millisecond }}, nil, Fail, 300, ExitFail, "1 slow ones"},
		{"the tool fails", &crowded{takes: quick, fails: errors.New("status 500")}, nil, Inconclusive, 0, ExitInconclusive, "200 calls in a row could not be made: status 500"},
		{"it takes too long", &crowded{takes: quick}, func(n *NFR) { n.Limit = 3 * time.Second }, Inconclusive, 0, ExitInconclusive, "exceeded 3s"},
		{"the judge panics", &crowded{takes: quick}, func(n *NFR) { n.Judge = func(*History) Measured { panic("no") } }, Inconclusive, 0, ExitInconclusive, "panicked"},
		{"it cannot run", &crowded{takes: quick}, func(n *NFR) { n.Needs = Needs{"gateway"} }, NotVerified, 0, ExitInconclusive, "gateway"},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			n := patientNFR(300, 20)
			if row.spoil != nil {
				row.spoil(&n)
			}
			target := crowdedTarget(row.client)
			e, _, _ := measure(t, target, n)
			r := e.NFRs[0]
			if r.Verdict != row.verdict || row.n > 0 && r.N != row.n || !strings.Contains(r.Reason, row.reason) {
				t.Errorf("%s, %d calls: %s; want %s, %d, %q", r.Verdict, r.N, r.Reason, row.verdict, row.n, row.reason)
			}
			if e.Run.Exit != row.exit || e.Clauses[1].Verdict != r.Verdict {
				t.Errorf("exit %d, clause %s; want %d, %s", e.Run.Exit, e.Clauses[1].Verdict, row.exit, r.Verdict)
			}
			if row.n == 0 {
				return
			}
			if row.client.most != 20 || len(row.client.numbers) != 300 {
				t.Errorf("%d calls at once, %d in all; want 20 and 300", row.client.most, len(row.client.numbers))
			}
			for number, times := range row.client.numbers {
				if times != 1 {
					t.Errorf("call %d was made %d times", number, times)
				}
			}
		}))
	}
}

// What a series leaves holds what was decided before, and of each call no more
// than is judged.
func TestSeriesIsRecordedSparsely(t *testing.T) {
	bubble(func(t *testing.T) {
		target := crowdedTarget(&crowded{takes: func(int) time.Duration { return time.Millisecond }})
		_, plan, dir := measure(t, target, patientNFR(50, 5))
		h, err := OpenHistory(HistoryFile(dir, "NFR-X/one"))
		if err != nil {
			t.Fatal(err)
		}
		if p := h.Header.NFR; p == nil || p.Seed != 7 || p.N != 50 || h.Header.Lane != LaneNFR {
			t.Errorf("the history says of what was planned %+v, lane %s", p, h.Header.Lane)
		}
		written, err := ReadPlan(dir)
		if err != nil || len(written.NFRs) != 1 || written.NFRs[0].N != plan.NFRs[0].N || written.NFRs[0].Stop == "" {
			t.Errorf("the plan says %+v, %v", written.NFRs, err)
		}
		for e := range h.Events() {
			switch {
			case e.Type == CallEvent && e.Call.Lines != nil:
				t.Errorf("header lines are recorded: %+v", e.Call)
			case e.Type == OK && e.Answer.Body != "":
				t.Errorf("a body is recorded: %+v", e.Answer)
			}
		}
	})(t)
}

// A plan that says something else than the history is not believed, nor one that
// asks for less than the catalogue, even if both agree.
func TestSeriesAgainstItsPlan(t *testing.T) {
	for _, row := range []struct {
		name   string
		weaker bool
		change func(p *Preregistered)
	}{
		{"fewer calls", true, func(p *Preregistered) { p.N = 10 }},
		{"a higher rate", true, func(p *Preregistered) { p.Threshold = 0.2 }},
		{"more violations", true, func(p *Preregistered) { p.Allowed = 3 }},
		{"less confidence", true, func(p *Preregistered) { p.Confidence = 0.5 }},
		{"another seed", false, func(p *Preregistered) { p.Seed++ }},
		{"another mix", false, func(p *Preregistered) { p.Mix = []string{"none"} }},
		{"no stop rule", false, func(p *Preregistered) { p.Stop = "" }},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			n := patientNFR(50, 5)
			_, plan, dir := measure(t, crowdedTarget(&crowded{takes: func(int) time.Duration { return time.Millisecond }}), n)
			row.change(&plan.NFRs[0].Preregistered)
			catalogue := testCatalogue()
			catalogue.NFRs = []NFR{n}
			if e, err := JudgeRun(dir, plan, catalogue, time.Now()); err != nil || e.NFRs[0].Verdict != Inconclusive || e.Clauses[1].Verdict != Inconclusive {
				t.Errorf("the plan was changed: %+v, %v", e.NFRs[0], err)
			}
			changeHeader(t, HistoryFile(dir, n.ID), row.change)
			want := Pass
			if row.weaker {
				want = Inconclusive
			}
			if e, err := JudgeRun(dir, plan, catalogue, time.Now()); err != nil || e.NFRs[0].Verdict != want {
				t.Errorf("plan and history were changed: %+v, %v", e.NFRs[0], err)
			}
		}))
	}
}

func changeHeader(t *testing.T, path string, change func(*Preregistered)) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	var h Header
	if err := json.Unmarshal([]byte(first), &h); err != nil {
		t.Fatal(err)
	}
	change(h.NFR)
	line, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(string(line)+"\n"+rest), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOtherLanesMeasureNothing(t *testing.T) {
	bubble(func(t *testing.T) {
		catalogue := testCatalogue(oneOrder())
		catalogue.NFRs = []NFR{patientNFR(50, 5)}
		e, _ := run(t, shopTarget(&shop{}), catalogue, everything)
		if r := e.NFRs[0]; r.Verdict != NotVerified || r.N != 0 || r.UpperBound != 1 || !strings.Contains(r.Reason, "lane nfr only") {
			t.Errorf("%+v", r)
		}
		if c := e.Clauses[1]; c.Verdict != NotVerified || !strings.Contains(c.Reason, "lane nfr only") || e.Run.Exit != ExitGreen {
			t.Errorf("clause %+v, exit %d", c, e.Run.Exit)
		}
	})(t)
}

func TestAnEmptyMeasurementIsAnError(t *testing.T) {
	catalogue := testCatalogue()
	catalogue.NFRs = []NFR{patientNFR(1, 1)}
	if _, err := NewMeasurePlan(RunInfo{}, TargetInfo{}, catalogue, func(NFR) bool { return false }); err == nil {
		t.Error("an empty selection made a plan")
	}
}

// Lag makes calls look longer: what was late is not believed then, what was in
// time is.
func TestLagOfASeries(t *testing.T) {
	late := map[string]int64{"worstMs": 900, "beyond": 3}
	for _, c := range []struct {
		name  string
		lag   map[string]int64
		v     Verdict
		gross bool
		want  Outcome
	}{
		{"punctual pass", map[string]int64{"worstMs": 20}, Passed("p"), false, Pass},
		{"punctual failure", map[string]int64{"worstMs": 20}, Failed("a", "b"), false, Fail},
		{"late pass", late, Passed("p"), false, Pass},
		{"late failure", late, Failed("a", "b"), false, Inconclusive},
		{"late failure beyond all lag", late, Failed("a", "b"), true, Fail},
		{"nobody watched a pass", nil, Passed("p"), false, Inconclusive},
		{"nobody watched a failure", nil, Failed("a", "b"), true, Inconclusive},
	} {
		p := proof{lag: c.lag}
		if v := p.unlagged(c.v, c.gross); v.Outcome != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v.Outcome, v.Reason, c.want)
		}
	}
}

func TestCallNumber(t *testing.T) {
	for path, want := range map[string]int{
		"/items/sku-cart-1-2.17": 17, "/items/sku.3?a=4": 3, "call-12": 12, "/items/x": 0, "": 0, "/items/sku.0": 0,
	} {
		if n := CallNumber(path); n != want {
			t.Errorf("%s: %d, want %d", path, n, want)
		}
	}
}
