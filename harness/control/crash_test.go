package control

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// crashing is a supervisor, and a target, whose processes die at points.
type crashing struct {
	mu      sync.Mutex
	state   crashState
	ignores bool // nothing is ever armed
	stays   bool // nothing can be disarmed
	started []int
	asked   map[string]any
}

func (c *crashing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "PUT /crash":
		c.asked = nil
		_ = json.NewDecoder(r.Body).Decode(&c.asked)
		if point, ok := c.asked["point"].(string); ok && !c.ignores {
			c.state.Armed = point
		}
	case "DELETE /crash":
		if !c.stays {
			c.state.Armed = ""
		}
	case "POST /restart":
		_ = json.NewEncoder(w).Encode(map[string][]int{"killed": {}, "started": c.started})
		return
	}
	_ = json.NewEncoder(w).Encode(c.state)
}

func (c *crashing) die() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Deaths++
}

func crashingAt(t *testing.T, c *crashing) *Crash {
	t.Helper()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return CrashBy(server.URL, []string{"after-reserve"}, Target{URL: server.URL, Limit: 2 * time.Second})
}

func TestCrash(t *testing.T) {
	c := &crashing{state: crashState{Points: []string{"after-reserve"}, Deaths: 3}, started: []int{7, 8}}
	crash := crashingAt(t, c)
	seen, err := crash.Arm(t.Context(), "after-reserve", "corr-1", time.Minute)
	if err != nil || !strings.Contains(seen, "after-reserve") || c.asked["correlationId"] != "corr-1" || c.asked["leaseMs"] != 60_000.0 {
		t.Fatalf("%q, %v after %v", seen, err, c.asked)
	}
	c.die()
	if seen, err = crash.Died(t.Context()); err != nil || !strings.Contains(seen, "[7 8]") {
		t.Errorf("%q, %v", seen, err)
	}
	if _, err = crash.Disarm(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCrashIsNotBelieved: an order that was taken is no proof of anything.
func TestCrashIsNotBelieved(t *testing.T) {
	known := crashState{Points: []string{"after-reserve"}}
	arm := func(c *Crash) (string, error) { return c.Arm(t.Context(), "after-reserve", "", time.Minute) }
	died := func(c *Crash) (string, error) { return c.Died(t.Context()) }
	disarm := func(c *Crash) (string, error) { return c.Disarm(t.Context()) }
	for name, row := range map[string]struct {
		supervisor *crashing
		do         func(*Crash) (string, error)
		want       string
	}{
		"nothing was armed":     {&crashing{state: known, ignores: true}, arm, `says ""`},
		"an unknown point":      {&crashing{}, arm, "control.crash.points"},
		"nobody died":           {&crashing{state: known}, died, "no process died"},
		"nobody came back":      {&crashing{state: crashState{Deaths: 1}}, died, "names no started process"},
		"it cannot be disarmed": {&crashing{state: crashState{Armed: "after-reserve"}, stays: true}, disarm, "is armed at"},
	} {
		t.Run(name, func(t *testing.T) {
			c := crashingAt(t, row.supervisor)
			c.remote.watch.Limit = 100 * time.Millisecond
			if seen, err := row.do(c); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%q, %v; want %q", seen, err, row.want)
			}
		})
	}
}
