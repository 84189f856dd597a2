package harness

import (
	"slices"
	"testing"
	"time"
)

// believable is a history in which everything was proven; tests take one proof
// away.
func believable() (Header, []Event) {
	const f = "payment/charge#1:after-commit:reset"
	fault := func(stage FaultStage) Event {
		return Event{Type: FaultEvent, Case: "c", Fault: &FaultRecord{Fault: f, Stage: stage}}
	}
	call := func(from, to time.Duration) Event {
		return Event{Type: CallEvent, Case: "c", Call: &Call{Link: LinkClient, Forwarded: from, Answered: to}}
	}
	mark := func(name string) Event { return Event{Type: MarkEvent, Case: "c", Mark: &Mark{Name: name}} }
	return Header{Capabilities: []Capability{CapEffects}, Control: Verdict{Outcome: Pass}}, []Event{
		fault(FaultPlanned), mark(MarkBarrier), fault(FaultFired), fault(FaultObserved), call(1, 5), call(2, 6), fault(FaultLifted), mark(MarkSettled), mark(MarkEnd)}
}

func without1(events []Event, i int) []Event {
	return append(append([]Event(nil), events[:i]...), events[i+1:]...)
}

func TestGates(t *testing.T) {
	strict := Check{Name: "x", Clause: "C.1", Gates: Gates{Effects: true, Overlap: true}, Judge: func(*History) Verdict { return Passed("looks good") }}
	judge := func(h Header, events []Event, c Check) CheckResult {
		return Judge(Scenario{ID: "s", Checks: []Check{c}}, NewHistory(h, events...))[0]
	}
	h, events := believable()
	if r := judge(h, events, strict); r.Verdict != Pass {
		t.Fatalf("everything proven: %s %s", r.Verdict, r.Reason)
	}
	for i, e := range events { // take each proof away in turn
		if r := judge(h, without1(events, i), strict); r.Verdict != Inconclusive {
			t.Errorf("without %s: %s %s", e, r.Verdict, r.Reason)
		}
	}
	add := func(e Event) []Event { return append(append([]Event(nil), events...), e) }
	for name, r := range map[string]CheckResult{
		"control failed": judge(Header{Capabilities: h.Capabilities, Control: Undecided("no")}, events, strict),
		"an error":       judge(h, add(Event{Type: MarkEvent, Mark: &Mark{Name: MarkError}}), strict),
		"unresolved":     judge(h, add(Event{Type: MarkEvent, Mark: &Mark{Name: MarkPending}}), strict),
		"unsettled":      judge(h, add(Event{Type: MarkEvent, Mark: &Mark{Name: MarkUnsettled, Detail: "growing"}}), strict),
		"lease expired":  judge(h, add(Event{Type: FaultEvent, Case: "c", Fault: &FaultRecord{Fault: "payment/charge#1:after-commit:reset", Stage: FaultLifted, Detail: "its lease expired"}}), strict),
		"a panic":        judge(h, events, Check{Judge: func(*History) Verdict { panic("boom") }}),
		"no decision":    judge(h, events, Check{Judge: func(*History) Verdict { return Verdict{} }}),
		"an empty one":   judge(Header{}, nil, Check{Judge: func(*History) Verdict { return Passed("looks good") }}),
	} {
		if r.Verdict != Inconclusive || r.Reason == "" && name != "no decision" {
			t.Errorf("%s: %s %q", name, r.Verdict, r.Reason)
		}
	}
	if r := judge(Header{Control: Verdict{Outcome: Pass}}, events, strict); r.Verdict != NotVerified {
		t.Errorf("without the capability effects: %s %s", r.Verdict, r.Reason)
	}
	failing := strict
	failing.Judge = func(*History) Verdict { return Failed("one", "two", 1) }
	settled := Event{Type: MarkEvent, Mark: &Mark{Name: MarkSettled}}
	if r := judge(Header{Capabilities: h.Capabilities}, []Event{settled}, failing); r.Verdict != Fail {
		t.Errorf("a failure must stay one whatever was not proven: %s", r.Verdict)
	}
	if r := judge(h, nil, failing); r.Verdict != Inconclusive {
		t.Errorf("a ledger that was never read fails nobody: %s", r.Verdict)
	}
	if r := judge(h, add(Event{Type: MarkEvent, Mark: &Mark{Name: MarkInterrupted}}), failing); r.Verdict != Inconclusive {
		t.Errorf("an interrupted experiment fails nobody: %s", r.Verdict)
	}
}

// TestTraps: nothing has to go into a trap, but it has to be there and to be
// taken away; what went into it has to be proven like any fault.
func TestTraps(t *testing.T) {
	h, events := believable()
	trap := func(stage FaultStage, fired int, detail string) Event {
		return Event{Type: FaultEvent, Case: "c", Fault: &FaultRecord{Fault: "payment/charge#2:before-forward:status(402)", Stage: stage, Fired: fired, Detail: detail, Trap: stage == FaultPlanned}}
	}
	for name, test := range map[string]struct {
		added []Event
		want  Outcome
	}{
		"armed and lifted":       {[]Event{trap(FaultPlanned, 0, ""), trap(FaultLifted, 0, "")}, Pass},
		"never lifted":           {[]Event{trap(FaultPlanned, 0, "")}, Inconclusive},
		"its lease ran out":      {[]Event{trap(FaultPlanned, 0, ""), trap(FaultLifted, 0, "its lease expired")}, Inconclusive},
		"never armed":            {[]Event{trap(FaultLifted, 0, "")}, Inconclusive},
		"it fired, nobody saw":   {[]Event{trap(FaultPlanned, 0, ""), trap(FaultFired, 1, ""), trap(FaultLifted, 1, "")}, Inconclusive},
		"it fired, and was seen": {[]Event{trap(FaultPlanned, 0, ""), trap(FaultFired, 1, ""), trap(FaultObserved, 0, "402"), trap(FaultLifted, 1, "")}, Pass},
	} {
		s := Scenario{ID: "s", Checks: []Check{{Judge: func(*History) Verdict { return Passed("looks good") }}}}
		if r := Judge(s, NewHistory(h, append(test.added, events...)...))[0]; r.Verdict != test.want {
			t.Errorf("%s: %s %s", name, r.Verdict, r.Reason)
		}
	}
}

func TestPeak(t *testing.T) {
	for _, row := range []struct {
		spans []span
		want  int
	}{
		{nil, 0},
		{[]span{{1, 2}}, 1},
		{[]span{{1, 2}, {2, 3}}, 1}, // touching is not overlapping
		{[]span{{1, 3}, {2, 4}, {3, 5}}, 2},
		{[]span{{1, 9}, {2, 8}, {3, 7}}, 3},
	} {
		if got := peak(row.spans); got != row.want {
			t.Errorf("%v: %d, want %d", row.spans, got, row.want)
		}
	}
}

// TestRoundsMeet: of several rounds of one size one has to overlap, and so has
// one of every size.
func TestRoundsMeet(t *testing.T) {
	barrier := func(id string, callers int64) Event {
		return Event{Type: MarkEvent, Case: id, Mark: &Mark{Name: MarkBarrier, Count: map[string]int64{"callers": callers}}}
	}
	call := func(id string, from, to time.Duration) Event {
		return Event{Type: CallEvent, Case: id, Call: &Call{Link: LinkClient, Forwarded: from, Answered: to}}
	}
	apart := []Event{barrier("a", 2), call("a", 1, 2), call("a", 3, 4)}
	together := []Event{barrier("b", 2), call("b", 5, 8), call("b", 6, 9)}
	larger := []Event{barrier("c", 20), call("c", 10, 11), call("c", 12, 13)}
	end := []Event{{Type: MarkEvent, Mark: &Mark{Name: MarkEnd}}}
	c := Check{Gates: Gates{Overlap: true}, Judge: func(*History) Verdict { return Passed("looks good") }}
	for name, row := range map[string]struct {
		events []Event
		want   Outcome
	}{
		"one of two rounds":         {slices.Concat(apart, together, end), Pass},
		"no round":                  {slices.Concat(apart, end), Inconclusive},
		"no round of another size":  {slices.Concat(apart, together, larger, end), Inconclusive},
		"no barrier, whatever else": {end, Inconclusive},
	} {
		r := Judge(Scenario{ID: "s", Checks: []Check{c}}, NewHistory(Header{Control: Verdict{Outcome: Pass}}, row.events...))[0]
		if r.Verdict != row.want {
			t.Errorf("%s: %s %s", name, r.Verdict, r.Reason)
		}
	}
}
