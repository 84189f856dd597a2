package harness

import (
	"context"
	"errors"
	"testing"
)

// A client that cannot be started once more is no fault of the experiment, and no
// call is made in its place.
func TestInAnotherProcess(t *testing.T) {
	for name, c := range map[string]struct {
		again   func(*int) func(context.Context) (Client, func(), error)
		calls   int
		refusal string
	}{
		"started": {func(made *int) func(context.Context) (Client, func(), error) {
			return func(context.Context) (Client, func(), error) {
				return calling{func() { *made++ }}, func() { *made += 10 }, nil
			}
		}, 11, ""},
		"not ours to start": {func(*int) func(context.Context) (Client, func(), error) { return nil }, 0, "the client was not started by this run"},
		"serves once": {func(*int) func(context.Context) (Client, func(), error) {
			return func(context.Context) (Client, func(), error) { return nil, nil, errors.New("address in use") }
		}, 0, "start the client once more: address in use"},
	} {
		dir, made := t.TempDir(), 0
		rec, err := NewRecorder(dir, Header{Scenario: "t"}, NewClock(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := newSession(&Target{Client: calling{func() { t.Error(name, "called the first client") }}, Again: c.again(&made)}, &runState{id: "run", owner: map[string]string{}}, "t", rec)
		one := s.Case("one")
		err = s.InAnotherProcess(t.Context(), one, func(call func(ClientCall) Result) error {
			call(ClientCall{Method: "GET", URL: "http://127.0.0.1:1/"})
			return nil
		})
		if err != nil || made != c.calls {
			t.Errorf("%s: %d, %v", name, made, err)
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		h, err := OpenHistory(HistoryFile(dir, "t"))
		if err != nil {
			t.Fatal(err)
		}
		refusal := ""
		for e := range h.Events() {
			if e.Type == MarkEvent && e.Mark.Name == MarkNotStartedAgain {
				refusal = e.Mark.Detail
			}
		}
		if refusal != c.refusal {
			t.Errorf("%s: the history says %q, want %q", name, refusal, c.refusal)
		}
	}
}
