package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func sampleEvent() harness.Event {
	return harness.Event{Type: harness.OK, Case: "idempotency/replay-success/replayed", Op: "op-1",
		Request: &harness.Request{Operation: "checkout", Principal: "alice", Method: "POST", Path: "/checkout", Keys: []string{"0f8fad5b-d9cb-469f-a165-70867728950e"}, Body: body},
		Answer:  &harness.Answer{Status: 201, JSON: true, OrderID: "o1", RequestID: "r1", Body: `{"orderId":"o1"}`}}
}

func recording() pair {
	return pair{
		what: "record one event, redacted", peer: "encoding/json to a buffered file",
		ours: func(b *testing.B) {
			r, err := harness.NewRecorder(b.TempDir(), harness.Header{Scenario: "bench/record"}, harness.NewClock(),
				harness.NewRedactor(map[string]string{"principal:alice": "eyJhbGciOiJIUzI1NiJ9.secret", "principal:bob": "eyJhbGciOiJIUzI1NiJ9.other"}))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r.Append(sampleEvent())
			}
			b.StopTimer()
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		},
		them: func(b *testing.B) {
			f, err := os.Create(filepath.Join(b.TempDir(), "plain.jsonl"))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = f.Close() })
			w := bufio.NewWriter(f)
			encoder := json.NewEncoder(w)
			for b.Loop() {
				if err := encoder.Encode(sampleEvent()); err != nil {
					b.Fatal(err)
				}
			}
		},
	}
}

// judging returns the time per event, in ns, that judging a history of that many
// cases takes. A judge that is linear in events keeps it constant.
func judging(cases int) float64 {
	var events []harness.Event
	for i := range cases {
		id, op := fmt.Sprintf("bench/judge/%d", i), fmt.Sprint("op-", i)
		r := harness.Request{Operation: "checkout", Principal: "alice", Keys: []string{id}}
		events = append(events, harness.Event{Type: harness.Invoke, Case: id, Op: op, Request: &r},
			harness.Event{Type: harness.OK, Case: id, Op: op, Request: &r, Answer: &harness.Answer{Status: 201}},
			harness.Event{Type: harness.EffectEvent, Case: id, Effect: &harness.Effect{Kind: "order"}})
	}
	h := harness.NewHistory(harness.Header{Scenario: "bench/judge", PerSuccess: map[string]int{"order": 1}}, events...)
	judge := check.EffectsMatchSuccesses(check.All())
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if v := judge(h); v.Outcome != harness.Pass {
				b.Fatal(v.Reason)
			}
		}
	})
	return float64(result.NsPerOp()) / float64(len(events))
}
