package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// supervised is a supervisor that says what a test wants and does what another
// test wants: they need not agree.
func supervised(t *testing.T, s stage, says map[string]string, does map[string]string) string {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{order}", func(w http.ResponseWriter, r *http.Request) {
		order := r.PathValue("order")
		var ask struct {
			Instance string
			LeaseMs  int64
		}
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || ask.Instance != "*" || (ask.LeaseMs == 60_000) != (order == "kill" || order == "pause") {
			t.Errorf("%s was asked for %+v, %v", order, ask, err)
		}
		if mode, ok := does[order]; ok {
			s.write("mode", mode)
		}
		say(200, says[order])(w, r)
	})
	return serve(t, mux)
}

func TestRemoteControls(t *testing.T) {
	says := map[string]string{"kill": `{"killed":[10,11]}`, "start": `{"started":[12,13]}`, "pause": `{"paused":[12,13]}`, "resume": `{"resumed":[13,12]}`}
	for _, down := range []string{"silent", "closing", "gateway"} {
		t.Run(down, func(t *testing.T) {
			s := newStage(t)
			r := HTTP(supervised(t, s, says, map[string]string{"kill": down, "start": "", "pause": "silent", "resume": ""}), s.believing())
			for _, step := range []struct {
				do   func() (string, error)
				want string
			}{
				{func() (string, error) { return r.Kill(t.Context(), time.Minute) }, "processes [10 11] were killed; a request to the target met: "},
				{func() (string, error) { return r.Start(t.Context()) }, "processes [12 13] were started; the target answers: status 404"},
				{func() (string, error) { return r.Pause(t.Context(), time.Minute) }, "processes [12 13] stand still; a request to the target met: no answer within "},
				{func() (string, error) { return r.Resume(t.Context()) }, "processes [13 12] go on; the target answers: status 404"},
			} {
				if seen, err := step.do(); err != nil || !strings.HasPrefix(seen, step.want) {
					t.Errorf("seen %q, %v, want %q", seen, err, step.want)
				}
			}
		})
	}
}

// TestRemoteIsNotBelieved: a supervisor that says so and does nothing, or does it
// and does not say so.
func TestRemoteIsNotBelieved(t *testing.T) {
	kill := func(t *testing.T, r *Remote) (string, error) { return r.Kill(t.Context(), time.Minute) }
	pause := func(t *testing.T, r *Remote) (string, error) { return r.Pause(t.Context(), time.Minute) }
	start := func(t *testing.T, r *Remote) (string, error) { return r.Start(t.Context()) }
	resume := func(t *testing.T, r *Remote) (string, error) { return r.Resume(t.Context()) }
	restart := func(t *testing.T, r *Remote) (string, error) { return r.Restart(t.Context()) }
	after := func(first, then func(*testing.T, *Remote) (string, error)) func(*testing.T, *Remote) (string, error) {
		return func(t *testing.T, r *Remote) (string, error) {
			if _, err := first(t, r); err != nil {
				t.Errorf("the first step failed: %v", err)
			}
			return then(t, r)
		}
	}
	for _, row := range []struct {
		name, mode string
		do         func(*testing.T, *Remote) (string, error)
		says, does map[string]string
		want       string
		before     bool // the error wraps ErrBackBefore
	}{
		{name: "a kill that kills nobody", do: kill, says: map[string]string{"kill": `{"killed":[10]}`}, want: "was not seen to fall silent: a request there met last: status 404"},
		{name: "a kill that names nobody", do: kill, says: map[string]string{"kill": `{"killed":[]}`}, does: map[string]string{"kill": "closing"}, want: "names no killed process"},
		{name: "a kill of what is down", mode: "closing", do: kill, want: "did not answer before it was disturbed"},
		{name: "a pause that stops nobody", do: pause, says: map[string]string{"pause": `{"paused":[10]}`}, want: "was not seen to fall silent: a request there met last: status 404"},
		{name: "a pause that kills", do: pause, says: map[string]string{"pause": `{"paused":[10]}`}, does: map[string]string{"pause": "closing"}, want: "was not seen to fall silent: a request there met last: EOF"},
		{name: "a pause that names nobody", do: pause, says: map[string]string{"pause": `{}`}, want: "names no paused process"},
		{name: "a pause of what is paused", mode: "silent", do: pause, want: "did not answer before it was disturbed"},
		{name: "a start of what runs", do: start, says: map[string]string{"start": `{"started":[]}`}, want: "had come back before", before: true},
		{name: "a start that does not come up", mode: "closing", do: start, says: map[string]string{"start": `{"started":[12]}`}, want: "was not seen to answer again: a request there met last: EOF"},
		{name: "a start of the same process", do: after(kill, start), says: map[string]string{"kill": `{"killed":[10]}`, "start": `{"started":[10]}`},
			does: map[string]string{"kill": "closing", "start": ""}, want: "process 10 is named as killed and as started"},
		{name: "a resume of what runs", do: resume, says: map[string]string{"resume": `{"resumed":[]}`}, want: "had come back before", before: true},
		{name: "a restart that does not come up", mode: "gateway", do: restart, says: map[string]string{"restart": `{"killed":[10],"started":[11]}`}, want: "was not seen to answer again: a request there met last: status 502"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.write("mode", row.mode)
			seen, err := row.do(t, HTTP(supervised(t, s, row.says, row.does), s.doubting()))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("seen %q, %v, want %q", seen, err, row.want)
			}
			if errors.Is(err, harness.ErrBackBefore) != row.before {
				t.Errorf("ErrBackBefore: %v", err)
			}
		})
	}
}

// TestAResumeOfOthersIsNotBelieved: the processes that were paused are those that
// have to go on.
func TestAResumeOfOthersIsNotBelieved(t *testing.T) {
	s := newStage(t)
	r := HTTP(supervised(t, s, map[string]string{"pause": `{"paused":[10,11]}`, "resume": `{"resumed":[10]}`}, map[string]string{"pause": "silent", "resume": ""}), s.believing())
	if _, err := r.Pause(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resume(t.Context()); err == nil || !strings.Contains(err.Error(), "processes [10 11] were paused and [10] go on") {
		t.Error(err)
	}
}
