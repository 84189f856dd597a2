package stack

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/gateway"
)

// set puts a setting and returns the status and what is wrong.
func (r *running) set(path string, body map[string]any) (int, string) {
	r.t.Helper()
	var refused refusal
	status := r.call("PUT", r.ControlURL+path, body, &refused)
	return status, refused.Error
}

func (r *running) mustSet(path string, body map[string]any) {
	r.t.Helper()
	if status, why := r.set(path, body); status != http.StatusOK {
		r.t.Fatalf("PUT %s %v answered %d %s\n%s", path, body, status, why, r.log)
	}
}

const flagPath = "/flags/" + gateway.FlagResilience

func settingsAre(s Settings, offset int64, on bool, mode string) bool {
	return s.ClockOffset == offset && maps.Equal(s.Flags, map[string]bool{gateway.FlagResilience: on, flagRequireKey: true}) && s.Store.Mode == mode
}

func TestSettingsReachInstancesAndTheirSuccessors(t *testing.T) {
	r := start(t, Options{Instances: 2})
	if got := r.standIn(); !settingsAre(got.Settings, 0, true, "open") {
		t.Errorf("it begins with %+v", got.Settings)
	}
	r.mustSet("/clock", map[string]any{"offset": -3600})
	r.mustSet(flagPath, map[string]any{"on": false, "leaseMs": 0})
	r.mustSet("/store", map[string]any{"mode": "slow", "delayMs": 20, "leaseMs": 60_000})
	if got := r.standIn(); !settingsAre(got.Told, -3600, false, "slow") || got.Told.Store.DelayMs != 20 {
		t.Errorf("it was told %+v", got.Told)
	}
	var clock struct{ Offset int64 }
	var flag struct{ On bool }
	var link StoreLink
	r.call("GET", r.ControlURL+"/clock", nil, &clock)
	r.call("GET", r.ControlURL+flagPath, nil, &flag)
	r.call("GET", r.ControlURL+"/store", nil, &link)
	if clock.Offset != -3600 || flag.On || link != (StoreLink{Mode: "slow", DelayMs: 20}) {
		t.Errorf("read back: %+v, %+v, %+v", clock, flag, link)
	}
	r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, nil)
	if got := r.standIn(); !settingsAre(got.Settings, -3600, false, "slow") || !settingsAre(got.Told, -3600, false, "slow") {
		t.Errorf("a successor begins with %+v and was told %+v", got.Settings, got.Told)
	}
	r.mustSet("/store", map[string]any{"mode": "open"})
	if got := r.standIn(); got.Told.Store.Mode != "open" {
		t.Errorf("it was told %+v", got.Told)
	}
}

func TestSettingsRevertWithTheirLease(t *testing.T) {
	r := start(t, Options{})
	r.mustSet("/clock", map[string]any{"offset": 60}) // lasts
	for _, step := range []struct {
		path string
		body map[string]any
	}{
		{"/clock", map[string]any{"offset": 3600, "leaseMs": 60_000}},
		{"/clock", map[string]any{"offset": 7200, "leaseMs": 20}}, // a new lease in place of the old one
		{flagPath, map[string]any{"on": false, "leaseMs": 20}},
		{"/store", map[string]any{"mode": "stall", "leaseMs": 20}},
	} {
		r.mustSet(step.path, step.body)
	}
	await(t, "all leases are over", func() bool { return settingsAre(r.standIn().Told, 60, true, "open") })
	await(t, "the log tells", func() bool { return strings.Contains(r.log.String(), "the store link is put back: its lease is over") })
}

func TestSettingsThatAreRefused(t *testing.T) {
	r := start(t, Options{})
	for _, row := range []struct {
		path   string
		body   map[string]any
		status int
		says   string
	}{
		{"/clock", map[string]any{}, 400, "number of seconds"},
		{"/clock", map[string]any{"offset": 1 << 40}, 400, "number of seconds"},
		{"/clock", map[string]any{"offset": "soon"}, 400, "offset"},
		{"/clock", map[string]any{"offset": 1, "leaseMs": -1}, 400, "leaseMs is -1"},
		{"/clock", map[string]any{"ofset": 1}, 400, "ofset"},
		{flagPath, map[string]any{}, 400, "true or false"},
		{"/flags/antigravity", map[string]any{"on": true}, 404, "there are resilience, require-key"},
		{"/store", map[string]any{"mode": "gone"}, 400, "none of open, cut, stall, slow"},
		{"/store", map[string]any{"mode": "slow"}, 400, "delayMs is 0"},
		{"/store", map[string]any{"mode": "cut", "delayMs": 5}, 400, "goes with mode slow"},
		{"/store", map[string]any{"mode": "cut", "leaseMs": 0}, 400, "leaseMs is 0"},
	} {
		if status, why := r.set(row.path, row.body); status != row.status || !strings.Contains(why, row.says) {
			t.Errorf("%s %v: %d %q, want %d and %q", row.path, row.body, status, why, row.status, row.says)
		}
	}
	if status := r.call("GET", r.ControlURL+"/flags/antigravity", nil, nil); status != http.StatusNotFound {
		t.Errorf("an unknown flag reads %d", status)
	}
	r.call("POST", r.URL+"/refuse", nil, nil)
	if status, why := r.set("/clock", map[string]any{"offset": 5}); status != http.StatusServiceUnavailable || !strings.Contains(why, "it is as it was") {
		t.Errorf("an instance that refuses: %d %q", status, why)
	}
	// It was killed, since nobody could know what it went by; its successor is right.
	await(t, "the successor is right", func() bool {
		var state standInState
		_, err := r.try("GET", r.URL+"/", nil, &state)
		return err == nil && settingsAre(state.Told, 0, true, "open")
	})
	r.order(orderKill, 60_000)
	if status := r.call("GET", r.ControlURL+"/clock", nil, nil); status != http.StatusServiceUnavailable {
		t.Errorf("the clock of nobody reads %d", status)
	}
	if status := r.call("GET", r.ControlURL+"/metrics", nil, nil); status != http.StatusServiceUnavailable {
		t.Errorf("the metrics of nobody read %d", status)
	}
}

func TestStoreLinkStates(t *testing.T) {
	l := newStoreLink()
	if err := l.pass(t.Context()); err != nil {
		t.Errorf("open: %v", err)
	}
	l.set(StoreLink{Mode: linkCut})
	if err := l.pass(t.Context()); err == nil {
		t.Error("cut: it passes")
	}
	l.set(StoreLink{Mode: linkSlow, DelayMs: 1})
	if err := l.pass(t.Context()); err != nil {
		t.Errorf("slow: %v", err)
	}
	l.set(StoreLink{Mode: linkSlow, DelayMs: maxDelay.Milliseconds()})
	passed := make(chan error)
	go func() { passed <- l.pass(t.Context()) }()
	l.set(StoreLink{Mode: linkStall})
	select {
	case err := <-passed:
		t.Errorf("what waited passes a link that stalls: %v", err)
	default:
	}
	l.set(StoreLink{Mode: linkOpen})
	if err := <-passed; err != nil {
		t.Errorf("opened: %v", err)
	}
	var c clock
	c.offset.Store(3600)
	if ahead := time.Until(c.Now()); ahead < 59*time.Minute {
		t.Errorf("the clock is %v ahead", ahead)
	}
}
