//go:build unix

package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// controls opens the profile of a served reference as a run does, its control
// and what hangs on it replaced unless that is empty, and without its dependencies,
// which only one run at a time can attach.
func controls(t *testing.T, r *running, path, control string) harness.Controls {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?ms)^dependencies:.*^control:`).ReplaceAllLiteral(text, []byte("control:"))
	if control != "" {
		text = regexp.MustCompile(`(?ms)^control:.*^policy:`).ReplaceAllLiteral(text, []byte("control: "+control+"\npolicy:"))
	}
	path = filepath.Join(t.TempDir(), "profile.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Load(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	opened, err := rig.Open(t.Context(), p, rig.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, r.log)
	}
	t.Cleanup(func() {
		if err := opened.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return opened.Target.Control
}

func served(t *testing.T) (r *running, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "profile.yaml")
	return start(t, Options{Command: command(roleReal), WriteProfile: path}), path
}

// survives makes a checkout, disturbs the reference, and expects the same answer.
func (r *running) survives(name string, disturb func() error) {
	r.t.Helper()
	_, before := r.checkout("key-"+name, "cart-"+name)
	if err := disturb(); err != nil {
		r.t.Errorf("%s: %v\n%s", name, err, r.log)
		return
	}
	if _, after := r.checkout("key-"+name, "cart-"+name); !bytes.Equal(before, after) {
		r.t.Errorf("%s: the replay is %s, the answer was %s", name, after, before)
	}
}

func TestTheReferenceIsControlledOverHTTP(t *testing.T) {
	t.Parallel()
	r, path := served(t)
	c := controls(t, r, path, "")
	r.survives("kill", func() error {
		before := r.pids()
		if _, err := c.Kill.Kill(t.Context(), maxLease); err != nil {
			return err
		}
		if down := r.pids(); !slices.Equal(down, []int{0}) {
			t.Errorf("killed, and %v runs", down)
		}
		seen, err := c.Kill.Start(t.Context())
		if slices.Equal(r.pids(), before) {
			t.Errorf("%v runs again; seen %s", before, seen)
		}
		return err
	})
	r.survives("pause", func() error {
		before := r.pids()
		if _, err := c.Pause.Pause(t.Context(), maxLease); err != nil {
			return err
		}
		_, err := c.Pause.Resume(t.Context())
		if !slices.Equal(r.pids(), before) {
			t.Errorf("%v ran and %v runs", before, r.pids())
		}
		return err
	})
	r.survives("restart", func() error { _, err := c.Restart.Restart(t.Context()); return err })
	r.survives("clock", func() error {
		if _, err := c.Clock.Move(t.Context(), time.Hour, time.Minute); err != nil {
			return err
		}
		_, err := c.Clock.Move(t.Context(), 0, time.Minute)
		return err
	})
	r.survives("flag", func() error {
		flag := c.Flags[gateway.FlagResilience]
		if _, err := flag.Set(t.Context(), false, time.Minute); err != nil {
			return err
		}
		_, err := flag.Set(t.Context(), true, time.Minute)
		return err
	})
	r.survives("store", func() error {
		for _, mode := range []harness.StoreMode{harness.StoreCut, harness.StoreStall} {
			if _, err := c.Store.Disturb(t.Context(), harness.StoreDisturbance{Mode: mode}, time.Minute); err != nil {
				return err
			}
			if status, body := r.checkout("key-"+string(mode), "cart-"+string(mode)); status != 503 {
				t.Errorf("with the store %s: %d %s", mode, status, body)
			}
		}
		_, err := c.Store.Restore(t.Context())
		return err
	})

	// What somebody else ended is found out.
	if _, err := c.Pause.Pause(t.Context(), maxLease); err != nil {
		t.Fatal(err)
	}
	r.order(orderResume, 0)
	if _, err := c.Pause.Resume(t.Context()); err == nil || !strings.Contains(err.Error(), "had come back before") {
		t.Errorf("a pause that somebody ended: %v", err)
	}
}

func TestTheReferenceIsControlledByCommands(t *testing.T) {
	t.Parallel()
	r, path := served(t)
	commands := func(limit string, rows map[string][]string) harness.Controls {
		text, err := json.Marshal(map[string]any{"limit": limit, "commands": rows})
		if err != nil {
			t.Fatal(err)
		}
		return controls(t, r, path, string(text))
	}
	pids := []string{os.Args[0], rolePids, r.ControlURL}
	signal := func(name string) []string {
		return append([]string{"/bin/sh", "-c", `kill -` + name + ` $("$@")`, "sh"}, pids...)
	}

	c := commands("30s", map[string][]string{"pause": signal("STOP"), "resume": signal("CONT"), "restart": signal("KILL"), "instance": pids})
	r.survives("pause", func() error {
		if _, err := c.Pause.Pause(t.Context(), 0); err != nil {
			return err
		}
		_, err := c.Pause.Resume(t.Context())
		return err
	})
	r.survives("restart", func() error { _, err := c.Restart.Restart(t.Context()); return err })

	nothing := []string{"true"}
	for _, row := range []struct {
		name, limit string
		rows        map[string][]string
		do          func(harness.Controls) (string, error)
		want        string
	}{
		{"a restart that does nothing", "3s", map[string][]string{"restart": nothing, "instance": pids}, restartOf, "still"},
		{"a restart that does nothing, without a list of processes", "1s", map[string][]string{"restart": nothing}, restartOf, "was not seen to be gone"},
		{"a kill after which the supervisor starts another", "30s", map[string][]string{"kill": signal("KILL"), "start": nothing, "instance": pids},
			func(c harness.Controls) (string, error) { return c.Kill.Kill(t.Context(), 0) }, "did not stay down"},
		{"a pause that does nothing", "1s", map[string][]string{"pause": nothing, "resume": nothing},
			func(c harness.Controls) (string, error) { return c.Pause.Pause(t.Context(), 0) }, "was not seen to stand still"},
		{"a pause that hangs", "1s", map[string][]string{"pause": {"sleep", "600"}, "resume": nothing},
			func(c harness.Controls) (string, error) { return c.Pause.Pause(t.Context(), 0) }, "the command sleep was killed with all that it started: it was given up after 1s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := commands(row.limit, row.rows)
			if seen, err := row.do(c); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("seen %q, %v, want %q", seen, err, row.want)
			}
			// What a failed attempt may have left is put back, as a session does.
			if c.Pause != nil {
				_, _ = c.Pause.Resume(t.Context())
			}
			if c.Kill != nil {
				_, _ = c.Kill.Start(t.Context())
			}
		})
	}
	r.survives("all of it", func() error { return nil })
}

func restartOf(c harness.Controls) (string, error) { return c.Restart.Restart(context.Background()) }
