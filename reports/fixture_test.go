package reports

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// The fixture is a run of a shop that charges twice when the answer of its
// payment provider is lost, with every verdict and every kind of cut in it.

var fixtureStart = time.Date(2026, 3, 14, 2, 15, 9, 0, time.UTC)

const ms = time.Millisecond

// tape records events at given times, as an experiment would.
type tape struct {
	scenario string
	events   []harness.Event
	ops      int
}

func (t *tape) caseID(label string) string { return t.scenario + "/" + label }

func (t *tape) add(at time.Duration, label string, e harness.Event) int64 {
	e.At, e.Seq = at, int64(len(t.events)+1)
	if label != "" {
		e.Case = t.caseID(label)
	}
	t.events = append(t.events, e)
	return e.Seq
}

func fixtureKey(label string) string {
	return fmt.Sprintf("%08x-aaaa-8bbb-8ccc-dddddddddddd", len(label)*0x1234567)
}

// send records one attempt: a status sends an answer, an error an unknown outcome.
func (t *tape) send(label, who string, attempt int, from, to time.Duration, status int, code, problem string) int64 {
	t.ops++
	op := fmt.Sprintf("op-%d", t.ops)
	r := harness.Request{Operation: "checkout", Principal: who, Tenant: "t1", Keys: []string{fixtureKey(label)}, Reference: "cart-" + label, Amount: 4200, CorrelationID: "corr-" + label, Attempt: attempt}
	t.add(from, label, harness.Event{Type: harness.Invoke, Op: op, Request: &r})
	sent := r
	sent.Method, sent.Path, sent.BodySHA256 = "POST", "/checkout", "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"
	if problem != "" {
		return t.add(to, label, harness.Event{Type: harness.Info, Op: op, Request: &sent, Error: problem})
	}
	a := harness.Answer{Status: status, Code: code, BodyBytes: 214, JSON: true, BodySHA256: "aa"}
	if status == 201 {
		a.State, a.OrderID = "COMPLETED", "ord-7c1e55"
	}
	if status == 409 {
		a.RetryAfter = "1"
	}
	return t.add(to, label, harness.Event{Type: harness.OK, Op: op, Request: &sent, Answer: &a})
}

func (t *tape) call(label, link, op string, index int, from, to time.Duration, upstream, status int, outcome harness.CallOutcome, fault string) int64 {
	c := harness.Call{Link: link, Operation: op, Index: index, Conn: int64(index), Method: "POST", Path: "/" + op, Key: "psp-" + fixtureKey(label), Reference: "cart-" + label,
		Upstream: upstream, Status: status, Outcome: outcome, Fault: fault, Started: from, Ended: to}
	if upstream > 0 {
		c.Forwarded, c.Answered = from+ms/5, to-ms/5
	}
	return t.add(to, label, harness.Event{Type: harness.CallEvent, Call: &c})
}

func (t *tape) fault(at time.Duration, label, fault string, stage harness.FaultStage, fired int) {
	t.add(at, label, harness.Event{Type: harness.FaultEvent, Fault: &harness.FaultRecord{Fault: fault, Stage: stage, Injector: "wire", Fired: fired}})
}

func (t *tape) effect(at time.Duration, label, kind, id string, seq int64) int64 {
	return t.add(at, label, harness.Event{Type: harness.EffectEvent, Effect: &harness.Effect{Seq: seq, Kind: kind, ID: id, Key: "psp-" + fixtureKey(label), Reference: "cart-" + label, Amount: 4200, Currency: "EUR"}})
}

func (t *tape) mark(at time.Duration, label, name, detail string) {
	t.add(at, label, harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: name, Detail: detail}})
}

func (t *tape) history() *harness.History { return harness.NewHistory(t.header(), t.events...) }

func (t *tape) header() harness.Header {
	return harness.Header{Schema: harness.HistorySchema, RunID: "20260314T021509Z-0a1b2c3d", Scenario: t.scenario, Seed: 20260314, Started: fixtureStart, Lane: "fast", Scale: 1,
		Requirements: "srs", Target: "checkout-staging", Policy: harness.RequiredPolicy(), Capabilities: []harness.Capability{harness.CapEffects}, Control: harness.Passed("0, 1, 2")}
}

// write stores the tape as the recorder would.
func (t *tape) write(tb testing.TB, dir string) {
	tb.Helper()
	path := harness.HistoryFile(dir, t.scenario)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	b := bufio.NewWriter(f)
	encoder := json.NewEncoder(b)
	if err := encoder.Encode(t.header()); err != nil {
		tb.Fatal(err)
	}
	for _, e := range t.events {
		if err := encoder.Encode(e); err != nil {
			tb.Fatal(err)
		}
	}
	if err := b.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
}

const lostAnswer = "payment/charge#1:after-commit:reset"

// doubleCharge is the failure: the provider's answer is lost after it charged,
// and the second call charges again.
func doubleCharge() (t *tape, witness []harness.Witness) {
	t = &tape{scenario: "payment/lost-answer"}
	l := "after-commit"
	t.fault(10*ms, l, lostAnswer, harness.FaultPlanned, 0)
	t.call(l, "inventory", "reserve", 1, 14*ms, 17*ms, 201, 201, harness.CallAnswered, "")
	one := t.call(l, "payment", "charge", 1, 19*ms, 24*ms, 201, 0, harness.CallReset, lostAnswer)
	t.fault(24*ms, l, lostAnswer, harness.FaultFired, 1)
	t.fault(24*ms, l, lostAnswer, harness.FaultObserved, 1)
	two := t.call(l, "payment", "charge", 2, 231*ms, 236*ms, 201, 201, harness.CallAnswered, "")
	t.call(l, "orders", "place", 1, 238*ms, 241*ms, 201, 201, harness.CallAnswered, "")
	t.send(l, "alice", 1, 12*ms, 243*ms, 201, "", "")
	t.fault(250*ms, l, lostAnswer, harness.FaultLifted, 1)
	t.effect(420*ms, l, "reservation", "rsv-1", 1)
	first := t.effect(420*ms, l, "charge", "ch-1", 2)
	second := t.effect(420*ms, l, "charge", "ch-2", 3)
	t.effect(420*ms, l, "order", "ord-7c1e55", 4)

	l = "before-forward"
	before := "payment/charge#1:before-forward:reset"
	t.fault(11*ms, l, before, harness.FaultPlanned, 0)
	t.call(l, "inventory", "reserve", 1, 15*ms, 18*ms, 201, 201, harness.CallAnswered, "")
	t.call(l, "payment", "charge", 1, 20*ms, 21*ms, 0, 0, harness.CallReset, before)
	t.call(l, "payment", "charge", 2, 228*ms, 232*ms, 201, 201, harness.CallAnswered, "")
	t.call(l, "orders", "place", 1, 234*ms, 237*ms, 201, 201, harness.CallAnswered, "")
	t.send(l, "alice", 1, 13*ms, 239*ms, 201, "", "")
	t.fault(251*ms, l, before, harness.FaultLifted, 1)
	t.effect(421*ms, l, "reservation", "rsv-2", 5)
	t.effect(421*ms, l, "charge", "ch-3", 6)
	t.effect(421*ms, l, "order", "ord-9", 7)
	t.mark(425*ms, "", harness.MarkSettled, "")
	t.mark(426*ms, "", harness.MarkEnd, "")
	return t, []harness.Witness{
		{Seq: one, Text: "payment call 1 reset after the upstream answered 201"},
		{Seq: two, Text: "payment call 2 answered 201"},
		{Seq: first, Text: "ledger: charge ch-1"},
		{Seq: second, Text: "ledger: charge ch-2"},
	}
}

// crowd is twenty callers with one key: one works, the others are told to wait.
func crowd() *tape {
	t := &tape{scenario: "idempotency/concurrent-replay"}
	l := "twenty"
	t.mark(30*ms, l, harness.MarkBarrier, "20 callers released together")
	for i := range 20 {
		d := time.Duration(i) * ms / 4
		if i == 7 {
			t.send(l, "alice", i+1, 20*ms+d, 58*ms, 201, "", "")
			continue
		}
		t.send(l, "alice", i+1, 20*ms+d, 33*ms+d, 409, "REQUEST_IN_PROGRESS", "")
	}
	t.call(l, "inventory", "reserve", 1, 36*ms, 40*ms, 201, 201, harness.CallAnswered, "")
	t.call(l, "payment", "charge", 1, 42*ms, 47*ms, 201, 201, harness.CallAnswered, "")
	t.call(l, "orders", "place", 1, 50*ms, 54*ms, 201, 201, harness.CallAnswered, "")
	for i := range 19 {
		d := time.Duration(i) * ms
		t.send(l, "alice", 21+i, 1060*ms+d, 1064*ms+d, 201, "", "")
	}
	t.effect(1300*ms, l, "reservation", "rsv-3", 8)
	t.effect(1300*ms, l, "charge", "ch-4", 9)
	t.effect(1300*ms, l, "order", "ord-10", 10)
	t.mark(1301*ms, "", harness.MarkSettled, "")
	t.mark(1302*ms, "", harness.MarkEnd, "")
	return t
}

// cuts has one case for each way of cutting the client link.
func cuts() *tape {
	t := &tape{scenario: "client/cuts"}
	for i, c := range []struct {
		label, fault, problem string
		outcome               harness.CallOutcome
		upstream, status      int
	}{
		{"reset-before", "client#1:before-forward:reset", "read tcp 127.0.0.1:41002: connection reset by peer", harness.CallReset, 0, 0},
		{"reset-after", "client#1:after-commit:reset", "read tcp 127.0.0.1:41003: connection reset by peer", harness.CallReset, 201, 0},
		{"stall-after", "client#1:after-commit:stall", "context deadline exceeded", harness.CallPeerLeft, 201, 0},
		{"status", "client#1:before-forward:status(503,1)", "", harness.CallAnswered, 0, 503},
		{"truncate", "client#1:body@40:truncate(40)", "unexpected EOF", harness.CallTruncated, 201, 201},
		{"garbage", "client#1:after-commit:garbage", "malformed HTTP response", harness.CallGarbage, 201, 0},
		{"delay", "client#1:after-commit:delay(300ms)", "", harness.CallAnswered, 201, 201},
		{"latency", "client#*:tcp:latency(300ms)", "", harness.CallAnswered, 201, 201},
	} {
		base := time.Duration(i+1) * 10 * ms
		t.fault(base, c.label, c.fault, harness.FaultPlanned, 0)
		noted := c.fault
		if c.label == "latency" {
			noted = ""
		}
		t.call(c.label, "client", "checkout", 1, base+3*ms, base+9*ms, c.upstream, c.status, c.outcome, noted)
		t.send(c.label, "alice", 1, base+2*ms, base+10*ms, c.status, "", c.problem)
		if c.label == "latency" {
			t.fault(base+11*ms, c.label, c.fault, harness.FaultFired, 1)
		}
		t.call(c.label, "client", "checkout", 2, base+33*ms, base+39*ms, 201, 201, harness.CallAnswered, "")
		t.send(c.label, "alice", 2, base+32*ms, base+40*ms, 201, "", "")
		t.fault(base+50*ms, c.label, c.fault, harness.FaultLifted, 1)
	}
	l, fault := "duplicate", "client#1:before-forward:duplicate"
	t.fault(100*ms, l, fault, harness.FaultPlanned, 0)
	t.call(l, "client", "checkout", 1, 103*ms, 109*ms, 201, 201, harness.CallAnswered, fault)
	t.call(l, "client", "checkout", 2, 104*ms, 108*ms, 409, 0, harness.CallDiscarded, fault)
	t.send(l, "bob", 1, 102*ms, 110*ms, 201, "", "")
	t.fault(150*ms, l, fault, harness.FaultLifted, 1)
	t.mark(900*ms, "", harness.MarkSettled, "")
	t.mark(901*ms, "", harness.MarkEnd, "")
	return t
}

// silent is an experiment whose fault never met anything.
func silent() *tape {
	t := &tape{scenario: "gateway/slow-inventory"}
	fault := "inventory/reserve#3:before-forward:stall"
	t.fault(5*ms, "stall", fault, harness.FaultPlanned, 0)
	t.call("stall", "inventory", "reserve", 1, 9*ms, 12*ms, 201, 201, harness.CallAnswered, "")
	t.send("stall", "alice", 1, 7*ms, 20*ms, 201, "", "")
	t.fault(60*ms, "stall", fault, harness.FaultLifted, 0)
	t.mark(61*ms, "stall", "note", `</text><script>alert("x")</script>`)
	t.mark(62*ms, "", harness.MarkEnd, "")
	return t
}

func fixtureTapes() []*tape {
	failing, _ := doubleCharge()
	return []*tape{failing, crowd(), cuts(), silent()}
}

// fixtureEvidence is what judging those tapes would give.
func fixtureEvidence() harness.Evidence {
	const repeat = "oncecheck run --profile shop.yaml --lane fast --seed 20260314"
	_, witness := doubleCharge()
	scenario := func(t *tape, title string, v harness.Outcome, reason string, faults ...harness.FaultResult) harness.ScenarioResult {
		last := t.events[len(t.events)-1]
		return harness.ScenarioResult{ID: t.scenario, Title: title, Verdict: v, Reason: reason, Attempts: 1, DurationMS: last.At.Milliseconds(),
			History: "history/" + filepath.Base(harness.HistoryFile("", t.scenario)), Faults: faults, Overlap: 1, Repeat: repeat + " --only " + t.scenario}
	}
	failing, twenty, cut, quiet := fixtureTapes()[0], fixtureTapes()[1], fixtureTapes()[2], fixtureTapes()[3]
	results := []harness.ScenarioResult{
		scenario(twenty, "Twenty requests with one key, released together, charge once", harness.Pass, "one effect of each kind, 39 equal answers"),
		scenario(failing, "The payment provider's answer is lost before and after it committed", harness.Fail, "2 charges for one key",
			harness.FaultResult{Case: "after-commit", Fault: lostAnswer, Planned: true, Fired: 1, Observed: true, Lifted: true},
			harness.FaultResult{Case: "before-forward", Fault: "payment/charge#1:before-forward:reset", Planned: true, Fired: 1, Observed: true, Lifted: true}),
		scenario(cut, "The client's connection is cut at each point", harness.Pass, "9 cuts, each answered once repeated",
			harness.FaultResult{Case: "reset-before", Fault: "client#1:before-forward:reset", Planned: true, Fired: 1, Observed: true, Lifted: true}),
		scenario(quiet, "Inventory hangs on its third call", harness.Inconclusive, "the fault never fired",
			harness.FaultResult{Case: "stall", Fault: "inventory/reserve#3:before-forward:stall", Planned: true, Lifted: true}),
		{ID: "process/kill-in-flight", Title: "The process dies between charge and answer", Verdict: harness.NotVerified, Reason: "the target does not offer process-control", Faults: nil, Repeat: repeat},
	}
	results[0].Overlap = 20
	bad := harness.CheckResult{Name: "at-most-once-effect", Scenario: failing.scenario, Verdict: harness.Fail, Reason: "expected 1 charge for key 0e38e38c…, observed 2",
		Expected: "1 charge for key 0e38e38c…", Observed: "2 charges: ch-1, ch-2", Witness: witness, Repeat: repeat + " --only payment/lost-answer"}
	good := harness.CheckResult{Name: "at-most-once-effect", Scenario: twenty.scenario, Verdict: harness.Pass, Reason: "1 charge, 1 reservation, 1 order"}
	equal := harness.CheckResult{Name: "equal-replays", Scenario: twenty.scenario, Verdict: harness.Pass, Reason: "20 success answers name order ord-7c1e55"}
	again := harness.CheckResult{Name: "answered-once-repeated", Scenario: cut.scenario, Verdict: harness.Pass, Reason: "every second attempt was answered"}
	unclear := harness.CheckResult{Name: "deadline-kept", Scenario: quiet.scenario, Verdict: harness.Inconclusive, Reason: "inventory/reserve#3:before-forward:stall never fired"}
	e := harness.Evidence{
		Schema: harness.EvidenceSchema,
		Run: harness.RunInfo{ID: "20260314T021509Z-0a1b2c3d", Started: fixtureStart, Finished: fixtureStart.Add(41*time.Second + 320*ms), Seed: 20260314, Lane: "fast",
			Suite: harness.SuiteInfo{Version: "1.0.0", Commit: "4f2a91c"}, Host: harness.HostInfo{OS: "linux", Arch: "amd64", CPUs: 2}, Exit: 1,
			Control: harness.Passed("the probe saw 0 effects before, 3 after one success and 6 after two"), Repeat: repeat},
		Target: harness.TargetInfo{Name: "checkout-staging", Version: "2026.3.1", ProfileSHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Requirements: "srs",
			Dialect: harness.Dialect{Name: "srs"}, Capabilities: []harness.Capability{harness.CapCheckout, harness.CapEffects}, Policy: harness.RequiredPolicy(),
			Links: []harness.LinkInfo{{Name: "payment", Operations: []harness.OperationInfo{{Name: "charge", Effect: "charge"}}},
				{Name: "inventory", Operations: []harness.OperationInfo{{Name: "reserve", Effect: "reservation"}}},
				{Name: "orders", Operations: []harness.OperationInfo{{Name: "place", Effect: "order"}}}}},
		Scenarios: results,
		Effects:   map[string]harness.EffectTotals{"charge": {Expected: 3, Observed: 4, Duplicates: 1}, "reservation": {Expected: 3, Observed: 3}, "order": {Expected: 3, Observed: 3}},
		Invariants: []harness.InvariantResult{
			{ID: "I1", Title: "At most one effect of each kind per scope and key", Verdict: harness.Fail, Reason: bad.Reason, Checks: []harness.CheckResult{bad, good}},
			{ID: "I2", Title: "All success answers for a key name the same order", Verdict: harness.Pass, Reason: equal.Reason, Checks: []harness.CheckResult{equal}},
			{ID: "I3", Title: "A refused request has no effect, now or later", Verdict: harness.NotVerified, Reason: "nothing judged it"},
		},
		NFRs: []harness.NFRResult{{ID: "NFR-CHK-003", Claim: "no duplicate effect in 10,000 scenarios", Threshold: 0.0003, Confidence: 0.95, Lane: "fast", Verdict: harness.NotVerified}},
	}
	clause := func(id, title string, v harness.Outcome, reason string, checks ...harness.CheckResult) {
		e.Clauses = append(e.Clauses, harness.ClauseResult{ID: harness.ClauseID(id), Level: "must", Strength: "literal", Title: title, Verdict: v, Reason: reason, Scale: 1, Checks: checks})
		count(&e.Totals, v)
		if v != harness.Pass {
			e.NotProven = append(e.NotProven, harness.NotProven{Clause: harness.ClauseID(id), Why: reason})
		}
	}
	clause("SRS-CHK-001.01", "key required on every irreversible operation", harness.NotVerified, "no scenario of this run judges it")
	clause("SRS-CHK-001.14", "concurrent duplicates have one effect", harness.Pass, good.Reason, good)
	clause("SRS-CHK-001.15", "duplicates while in progress are refused | or wait", harness.NotVerified, "check in-progress-guidance did not run", equal)
	clause("SRS-CHK-001.44", "a lost provider answer never charges twice", harness.Fail, bad.Reason, good, bad)
	clause("SRS-CHK-002.03", "<b>state</b> & status survive a cut of the client", harness.Pass, again.Reason, again)
	clause("SRS-CHK-002.09", "the checkout ends within 30 s whatever a dependency does", harness.Inconclusive, unclear.Reason, unclear)
	clause("SRS-RES-002.01", "an event is published at least once", harness.NotVerified, "the target does not offer sink")
	clause("SRS-RES-002.02", "an event survives the death of the relay", harness.NotVerified, "the target does not offer sink")
	clause("SRS-CHK-IF.02", "error codes are the nine", harness.NotApplicable, "the dialect names its own codes")
	e.Clauses[1].Scale, e.Clauses[5].Strength = 0.1, "derived"
	return e
}

// fixtureDir is a run folder before any report was written.
func fixtureDir(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, t := range fixtureTapes() {
		t.write(tb, dir)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), []byte("{}\n"), 0o644); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// openFixture opens the tapes from memory.
func openFixture(path string) (*harness.History, error) {
	for _, t := range fixtureTapes() {
		if path == "history/"+filepath.Base(harness.HistoryFile("", t.scenario)) {
			return t.history(), nil
		}
	}
	return nil, fmt.Errorf("open history: %s: no such tape", path)
}
