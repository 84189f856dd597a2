//go:build unix

package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

const shownTime = `echo $(( $(date +%s) + $(cat offset) ))`

func TestClockByCommand(t *testing.T) {
	for name, row := range map[string]struct{ set, now string }{
		"by offset, in seconds":  {`echo {{offset}} > offset`, shownTime},
		"by time, in RFC 3339":   {`echo $(( $(date -d {{time}} +%s) - $(date +%s) )) > offset`, `date -u -d "@$(( $(date +%s) + $(cat offset) ))" +%FT%TZ`},
		"by seconds, in ms":      {`echo $(( {{ unix }} - $(date +%s) )) > offset`, shownTime + `000`},
		"of a clock that is off": {`echo $(( {{offset}} - 500 )) > offset`, shownTime},
	} {
		t.Run(name, func(t *testing.T) {
			if err := (runner{}).do(t.Context(), sh("date -u -d @0")); err != nil && strings.Contains(row.set, "-d") {
				t.Skip("the date command of this system cannot show another time than now")
			}
			s := newStage(t)
			s.write("offset", map[bool]string{true: "-500", false: "0"}[name == "of a clock that is off"])
			c := NewClock(Step{Command: sh(row.set)}, Step{Command: sh(row.now)}, s.dir, 0)
			for _, offset := range []time.Duration{24 * time.Hour, -time.Hour, 0} {
				if seen, err := c.Move(t.Context(), offset, time.Minute); err != nil || !strings.HasPrefix(seen, "the clock was ahead of ours by ") {
					t.Errorf("%v: %q, %v", offset, seen, err)
				}
			}
			if c.guard != nil {
				t.Error("a guard is left")
			}
		})
	}
}

func TestClockIsNotBelieved(t *testing.T) {
	for name, row := range map[string]struct {
		set, now string
		offset   time.Duration
		want     string
	}{
		"a set that does nothing":    {"true {{offset}}", shownTime, time.Hour, ": wanted "},
		"a set by another amount":    {"echo $(( {{offset}} / 2 )) > offset", shownTime, time.Hour, "the clock was ahead of ours by "},
		"a set that fails":           {"exit 4", shownTime, time.Hour, "exit status 4"},
		"an offset that cannot show": {"echo {{offset}} > offset", shownTime, time.Second, "cannot be told from none"},
		"a part of a second":         {"echo {{offset}} > offset", shownTime, time.Millisecond, "not in whole seconds"},
		"a reading that is no time":  {"echo {{offset}} > offset", "echo noon", time.Hour, "before it was moved: read the clock: what it says is neither"},
		"a reading that fails":       {"echo {{offset}} > offset", "exit 5", time.Hour, "exit status 5"},
		"never moved":                {"echo {{offset}} > offset", shownTime, 0, "it was never moved"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.write("offset", "0")
			c := NewClock(Step{Command: sh(row.set)}, Step{Command: sh(row.now)}, s.dir, 0)
			seen, err := c.Move(t.Context(), row.offset, time.Minute)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("seen %q, %v, want %q", seen, err, row.want)
			}
			if errors.Is(err, harness.ErrBackBefore) != (name == "never moved") {
				t.Error(err)
			}
			c.guard.release()
		})
	}
}

func TestFlagByCommand(t *testing.T) {
	s := newStage(t)
	s.write("flag", "Enabled")
	f := NewFlag(Step{Command: sh("echo on > flag")}, Step{Command: sh("echo 0 > flag")}, Step{Command: sh("cat flag")}, s.dir, 0)
	if on, err := f.State(t.Context()); !on || err != nil {
		t.Errorf("%t, %v", on, err)
	}
	for _, step := range []struct {
		on   bool
		want string
	}{{false, "the flag read on and reads off"}, {false, "the flag read off and reads off"}, {true, "the flag read off and reads on"}} {
		if seen, err := f.Set(t.Context(), step.on, time.Minute); err != nil || seen != step.want {
			t.Errorf("%q, %v, want %q", seen, err, step.want)
		}
	}
	if f.guard != nil {
		t.Error("a guard is left")
	}
}

func TestFlagIsNotBelieved(t *testing.T) {
	for name, row := range map[string]struct{ on, state, want string }{
		"a switch that does nothing":  {"true", "cat flag", "was set to on and does not read so"},
		"a switch that fails":         {"exit 6", "cat flag", "exit status 6"},
		"a state that is no state":    {"echo on > flag", "echo perhaps", "none of on, true"},
		"a state that cannot be read": {"echo on > flag", "exit 7", "exit status 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.write("flag", "off")
			limit := patient
			if row.on == "true" {
				limit = time.Second // which it will take in full
			}
			f := NewFlag(Step{Command: sh(row.on)}, Step{Command: sh("echo off > flag")}, Step{Command: sh(row.state)}, s.dir, limit)
			if seen, err := f.Set(t.Context(), true, time.Minute); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("seen %q, %v, want %q", seen, err, row.want)
			}
			f.guard.release()
		})
	}
}

// TestSettingsOverHTTP: a target whose clock and flags have routes.
func TestSettingsOverHTTP(t *testing.T) {
	var mu sync.Mutex
	offset, on := int64(0), false
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /clock", func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var ask struct{ Offset int64 }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.Header.Get("X-Key") != "k" {
			t.Errorf("%v, header %v", err, r.Header)
		}
		offset = ask.Offset
	})
	mux.HandleFunc("GET /clock", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, `{"clock":{"now":%q}}`, time.Now().Add(time.Duration(offset)*time.Second).Format(time.RFC3339Nano))
	})
	mux.HandleFunc("POST /flags/{state}", func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		on = r.PathValue("state") == "on"
	})
	mux.HandleFunc("GET /flag", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, `{"value":%t}`, on)
	})
	url := serve(t, mux)
	set := Step{Method: "PUT", URL: url + "/clock", Header: map[string]string{"X-Key": "k"}, Body: func(vars map[string]any) ([]byte, error) { return json.Marshal(vars) }}
	clock := NewClock(set, Step{URL: url + "/clock", Member: ".clock.now"}, "", 0)
	for _, to := range []time.Duration{time.Hour, 0} {
		if _, err := clock.Move(t.Context(), to, time.Minute); err != nil {
			t.Error(err)
		}
	}
	flag := NewFlag(Step{Method: "POST", URL: url + "/flags/on"}, Step{Method: "POST", URL: url + "/flags/off"}, Step{URL: url + "/flag", Member: ".value"}, "", 0)
	for _, to := range []bool{true, false} {
		if _, err := flag.Set(t.Context(), to, time.Minute); err != nil {
			t.Error(err)
		}
	}
	for member, want := range map[string]string{".other": "its answer holds no .other", ".value.x": "no JSON object", "": "none of on, true"} {
		flag.state = Step{URL: url + "/flag", Member: member}
		if _, err := flag.State(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", member, err, want)
		}
	}
	flag.state = Step{URL: url + "/nowhere?token=s3cr3t"}
	if _, err := flag.State(t.Context()); err == nil || !strings.Contains(err.Error(), "GET "+url+"/nowhere: it answered status 404") || strings.Contains(err.Error(), "s3cr3t") {
		t.Error(err)
	}
	flag.state = Step{URL: "http://127.0.0.1:1/flag?token=s3cr3t"}
	if _, err := flag.State(t.Context()); err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Error(err)
	}
}
