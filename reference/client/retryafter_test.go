package client

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryAfterIsAFloor(t *testing.T) {
	for name, tc := range map[string]struct {
		value    string
		min, max time.Duration
		attempts int
	}{
		"seconds":           {"3", 3 * time.Second, 3300 * time.Millisecond, 2},
		"shorter than ours": {"0", 100 * time.Millisecond, 200 * time.Millisecond, 2},
		"garbage":           {"soon", 100 * time.Millisecond, 200 * time.Millisecond, 2},
		"beyond the budget": {"60", 0, 0, 1},
		"absurd":            {"99999999999999999999999", 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{answer: script(status("503 Busy", "Retry-After: "+tc.value), status(ok))}
				took, _, _ := timed(t.Context(), t, newClient(t, p), post())
				if took < tc.min || took > tc.max || p.count() != tc.attempts {
					t.Fatalf("%v and %d requests, want %v to %v and %d", took, p.count(), tc.min, tc.max, tc.attempts)
				}
			})
		})
	}
}
