package reports

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/oncecheck/oncecheck/harness"
)

func diagramOf(t *testing.T, source *tape, label string, witness ...int64) diagram {
	t.Helper()
	seen := map[int64]bool{}
	for _, w := range witness {
		seen[w] = true
	}
	stories, _, err := tell(source.history(), seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		if s.label == label {
			return drawing{header: source.header(), kinds: effectKinds(fixtureEvidence().Target), witness: seen}.diagram(s)
		}
	}
	t.Fatalf("no case %q", label)
	return diagram{}
}

func rowWith(t *testing.T, d diagram, text string) row {
	t.Helper()
	for _, r := range d.rows {
		if strings.Contains(r.label+" "+r.note, text) {
			return r
		}
	}
	t.Fatalf("no row says %q: %s", text, d.describe())
	return row{}
}

func TestCutsAreDrawnWhereTheyHappened(t *testing.T) {
	for label, c := range map[string]struct {
		note   string
		answer bool
		reach  reach
		sign   string
	}{
		"reset-before": {"reset before-forward", false, endsOnWire, "reset"},
		"reset-after":  {"reset after-commit", true, endsOnWire, "reset"},
		"stall-after":  {"stall after-commit", true, endsOnWire, "stall"},
		"status":       {"status(503,1) before-forward", false, endsOnWire, "status"},
		"truncate":     {"truncate(40) body@40", true, endsOnWire, "truncate"},
		"delay":        {"delay(300ms) after-commit", true, arrives, "delay"},
		"duplicate":    {"duplicate before-forward", false, arrives, "duplicate"},
	} {
		r := rowWith(t, diagramOf(t, cuts(), label), c.note)
		if r.answer != c.answer || r.reach != c.reach || r.sign != c.sign {
			t.Errorf("%s: answer %v reach %v sign %q, want %v %v %q", label, r.answer, r.reach, r.sign, c.answer, c.reach, c.sign)
		}
	}
	injected := 0
	for _, r := range diagramOf(t, cuts(), "status").rows {
		if r.kind == rowArrow && r.answer && r.label == "503" && r.reach == fromWire {
			injected++
		}
	}
	if injected != 1 {
		t.Errorf("%d answers come from the link itself, want 1", injected)
	}
	if r := rowWith(t, diagramOf(t, cuts(), "latency"), "fired client#*:tcp:latency"); r.kind != rowFault {
		t.Error("a toxic that no exchange shows has no row of its own")
	}
	if r := rowWith(t, diagramOf(t, cuts(), "duplicate"), "a copy made by the link"); r.reach != fromWire {
		t.Error("the copy does not start at the link")
	}
}

func TestSecondChargeShowsAtTheSecondCall(t *testing.T) {
	d := diagramOf(t, func() *tape { s, _ := doubleCharge(); return s }(), "after-commit", 3)
	var order []string
	for _, r := range d.rows {
		switch {
		case r.kind == rowEffect && r.label == "charge":
			order = append(order, "effect "+r.note)
		case r.kind == rowArrow && !r.answer && strings.HasPrefix(r.label, "charge"):
			order = append(order, "call")
		case r.sign == "reset":
			order = append(order, "reset")
		}
	}
	if got := strings.Join(order, ", "); got != "call, effect , reset, call, effect again, no. 2" {
		t.Errorf("order: %s", got)
	}
	if !rowWith(t, d, "charge · call 1").witness || !d.witness {
		t.Error("the witness is not marked")
	}
	if len(d.bands) != 1 {
		t.Errorf("%d faults armed, want 1", len(d.bands))
	}
}

func TestCrowdIsThinnedAndSharesALifeline(t *testing.T) {
	d := diagramOf(t, crowd(), "twenty")
	if d.lanes[0].name != "alice ×20" || d.lanes[1].kind != laneTarget {
		t.Errorf("lanes: %v", d.lanes)
	}
	if d.more != 12 {
		t.Errorf("%d exchanges left out, want 12", d.more)
	}
	if !strings.Contains(string(d.svg("s", 0)), "and 12 more exchanges not drawn") {
		t.Error("the picture does not say what it left out")
	}
}

// TestAnyStoryCanBeDrawn feeds events in any order, with any part missing: a
// history of an interrupted run must not stop a report.
func TestAnyStoryCanBeDrawn(t *testing.T) {
	var all []harness.Event
	for _, source := range fixtureTapes() {
		all = append(all, source.events...)
	}
	rapid.Check(t, func(t *rapid.T) {
		var events []harness.Event
		for i := range rapid.IntRange(0, 40).Draw(t, "events") {
			e := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			e.Seq, e.At = int64(i+1), time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "at"))
			e.Op = rapid.SampledFrom([]string{"", "op-1", "op-2"}).Draw(t, "op")
			events = append(events, e)
		}
		d := drawing{witness: map[int64]bool{1: true}}.diagram(story{label: "any", events: events})
		for i := 1; i < len(d.rows); i++ {
			if d.rows[i].at < d.rows[i-1].at {
				t.Fatalf("row %d is earlier than the one above", i)
			}
		}
		if err := wellFormed(string(d.svg("s-any", 0))); err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	})
}

// TestAScriptedPeerIsMet: the harness plays the dependency itself, so requests
// arrive there and answers come from there, whatever its script does.
func TestAScriptedPeerIsMet(t *testing.T) {
	for name, row := range map[string]struct {
		call harness.Call
		want blow
	}{
		"an answer that is a fault": {harness.Call{Step: 1, Fault: "dependency#1:status(503)", Started: 1, Ended: 2, Status: 503, Outcome: harness.CallAnswered}, blow{sign: "fault", text: "status(503)"}},
		"a break":                   {harness.Call{Step: 2, Fault: "dependency#2+:delay(4s)+reset", Started: 1, Ended: 2, Outcome: harness.CallReset}, blow{sign: "fault", text: "delay(4s)+reset"}},
		"no fault":                  {harness.Call{Step: 1, Started: 1, Ended: 2, Status: 200, Outcome: harness.CallAnswered}, blow{}},
	} {
		if c := arrived(row.call); c.Forwarded != 1 || struck(c) != row.want {
			t.Errorf("%s: %+v, %+v", name, c, struck(c))
		}
	}
	if c := arrived(harness.Call{Started: 1}); c.Forwarded != 0 {
		t.Error("an exchange of a link that forwards nothing has arrived")
	}
}
