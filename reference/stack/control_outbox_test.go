package stack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// TestOutboxIsReadFromTheStore: each checkout leaves its event, in the order in
// which they arrived, and a replay leaves none.
func TestOutboxIsReadFromTheStore(t *testing.T) {
	outboxOf(t, start(t, Options{Command: command(roleReal)}))
}

func outboxOf(t *testing.T, r *running) {
	t.Helper()
	var made []string
	for _, key := range []string{"outbox-1", "outbox-2", "outbox-1"} {
		status, body := r.checkout(key, "cart-"+key)
		var answer struct{ RequestID string }
		if err := json.Unmarshal(body, &answer); status != http.StatusCreated || err != nil {
			t.Fatalf("checkout answered %d %s, %v\n%s", status, body, err, r.log)
		}
		made = append(made, answer.RequestID)
	}
	entries := func(since int64) (about []string, last int64) {
		var outbox outboxState
		if status := r.call("GET", fmt.Sprintf("%s/outbox?since=%d", r.ControlURL, since), nil, &outbox); status != http.StatusOK {
			t.Fatalf("the outbox: status %d", status)
		}
		for _, e := range outbox.Entries {
			if e.Position <= last || e.EventID == "" || e.CorrelationID == "" || e.State != "PENDING" || e.Sequence != 1 || e.OccurredAt.IsZero() {
				t.Errorf("after %d comes %+v", last, e)
			}
			about, last = append(about, e.AggregateID), e.Position
		}
		return about, last
	}
	all, last := entries(0)
	if n := len(all); n < 2 || all[n-2] != made[0] || all[n-1] != made[1] {
		t.Errorf("the events are about %v, made were %v", all, made)
	}
	if later, _ := entries(last); len(later) > 0 {
		t.Errorf("after the last there are %v", later)
	}
	if status := r.call("GET", r.ControlURL+"/outbox?since=x", nil, nil); status != http.StatusBadRequest {
		t.Errorf("a since that is no number: status %d", status)
	}
}
