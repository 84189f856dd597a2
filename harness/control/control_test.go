package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func serve(t *testing.T, mux http.Handler) string {
	t.Helper()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// say answers with a status and a text.
func say(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

func TestRestart(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /restart", func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Instance string }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || ask.Instance != "*" {
			t.Errorf("asked for %+v, %v", ask, err)
		}
		fmt.Fprint(w, `{"killed":[10,11],"started":[12,13]}`)
	})
	seen, err := HTTP(serve(t, mux)+"/", Target{URL: newStage(t).url}).Restart(t.Context())
	if err != nil || seen != "processes [10 11] were killed, [12 13] started; the target answers: status 404" {
		t.Errorf("seen %q, %v", seen, err)
	}
}

func TestRestartIsNotBelieved(t *testing.T) {
	tests := []struct {
		name, want string
		handler    http.HandlerFunc
	}{
		{"same process", "process 10 is named as killed and as started", say(200, `{"killed":[10],"started":[10]}`)},
		{"one of two stayed", "process 11 is named as killed and as started", say(200, `{"killed":[10,11],"started":[12,11]}`)},
		{"nothing died", "names no killed process", say(200, `{"killed":[],"started":[12]}`)},
		{"no answer at all", "names no killed process", say(200, `{}`)},
		{"fewer came back", "killed 2 processes and started 1", say(200, `{"killed":[10,11],"started":[12]}`)},
		{"twice the same", "named twice as started", say(200, `{"killed":[10,11],"started":[12,12]}`)},
		{"no process id", "which is no process id", say(200, `{"killed":[0],"started":[12]}`)},
		{"no process id started", "which is no process id", say(200, `{"killed":[10],"started":[-1]}`)},
		{"not JSON", "not the JSON of a supervisor", say(200, `<html>`)},
		{"refused", "status 503: instance 1 did not come back", say(503, `{"killed":[10],"error":"instance 1 did not come back"}`)},
		{"elsewhere", "status 404", say(404, "404 page not found")},
		{"redirect", "status 302", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", 302) }},
		{"endless", "larger than 64 KiB", say(200, strings.Repeat(" ", maxAnswer+1))},
		{"broken off", "broke off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			fmt.Fprint(w, "{")
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/", test.handler)
			if _, err := HTTP(serve(t, mux), Target{}).Restart(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestRestartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /restart", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 64)) // the server notices that the caller left only when the body was read
		cancel()
		<-r.Context().Done()
	})
	if _, err := HTTP(serve(t, mux), Target{}).Restart(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// lease is a supervisor with one lease, whose renewals it reports.
type lease struct {
	attached chan map[string]any
	renewed  chan struct{}
	deleted  chan struct{}
	renew    http.HandlerFunc // nil agrees
	upstream string
}

func (l *lease) serve(t *testing.T) string {
	l.attached, l.renewed, l.deleted = make(chan map[string]any, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /attach", func(w http.ResponseWriter, r *http.Request) {
		var ask map[string]any
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			t.Error(err)
		}
		l.attached <- ask
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"lease":"l/1","upstream":`+l.upstream+`}`)
	})
	mux.HandleFunc("POST /attach/{lease}/renew", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("lease") != "l/1" {
			t.Errorf("renewed %s", r.PathValue("lease"))
		}
		select {
		case l.renewed <- struct{}{}:
		default:
		}
		if l.renew != nil {
			l.renew(w, r)
		}
	})
	mux.HandleFunc("DELETE /attach/{lease}", func(w http.ResponseWriter, _ *http.Request) {
		l.deleted <- struct{}{}
		w.WriteHeader(http.StatusNoContent)
	})
	return serve(t, mux)
}

const twoUpstreams = `{"payment":"http://127.0.0.1:7001","orders":"http://127.0.0.1:7002"}`

func dependencies() map[string]string { return map[string]string{"payment": "http://127.0.0.1:9001"} }

func TestAttachRenewsUntilReleased(t *testing.T) {
	l := &lease{upstream: twoUpstreams}
	ctx, cancel := context.WithCancel(t.Context())
	a, err := Attach(ctx, l.serve(t)+"/attach/", dependencies(), 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if ask := fmt.Sprint(<-l.attached); ask != "map[dependencies:map[payment:http://127.0.0.1:9001] leaseMs:3000]" {
		t.Errorf("asked for %s", ask)
	}
	if a.Upstream["payment"] != "http://127.0.0.1:7001" {
		t.Errorf("upstreams %v", a.Upstream)
	}
	cancel() // an interrupted run still has faults to lift
	<-l.renewed
	for range 2 {
		if err := a.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if len(l.deleted) != 1 {
		t.Errorf("ended %d times", len(l.deleted))
	}
	if a.Err() != nil {
		t.Error(a.Err())
	}
}

func TestALostLeaseIsKnown(t *testing.T) {
	for _, test := range []struct {
		name  string
		renew http.HandlerFunc
	}{
		{"reverted", say(404, `{"error":"the lease has expired"}`)},
		{"supervisor in trouble", say(500, "")},
		{"supervisor silent", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 64))
			<-r.Context().Done()
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &lease{upstream: twoUpstreams, renew: test.renew}
			a, err := Attach(t.Context(), l.serve(t)+"/attach", dependencies(), 60*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			<-a.Lost()
			if err := a.Err(); err == nil || !strings.Contains(err.Error(), "was lost") {
				t.Errorf("got %v", err)
			}
			if err := a.Release(t.Context()); err == nil || !strings.Contains(err.Error(), "was lost") {
				t.Errorf("the release hides it: %v", err)
			}
		})
	}
}

func TestAttachFails(t *testing.T) {
	held := say(409, `{"error":"attached 12s ago by another run"}`)
	tests := []struct {
		name, want string
		lease      time.Duration
		handler    http.HandlerFunc
	}{
		{"held", "another run holds its dependencies; wait until it has ended, or until its lease expires (the supervisor answered status 409: attached 12s ago by another run)", time.Second, held},
		{"refused", `status 400: unknown dependency "payment"`, time.Second, say(400, `{"error":"unknown dependency \"payment\""}`)},
		{"no lease", "names no lease", time.Second, say(201, `{"upstream":{}}`)},
		{"too short", "too short", time.Millisecond, held},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/attach", test.handler)
			_, err := Attach(t.Context(), serve(t, mux)+"/attach", dependencies(), test.lease)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "attach payment through http://") {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if errors.Is(err, ErrHeld) != (test.name == "held") {
				t.Errorf("ErrHeld: %v", err)
			}
		})
	}
}

func TestAttachReleasesWhatItCannotUse(t *testing.T) {
	for _, upstream := range []string{`{"orders":"http://127.0.0.1:7002"}`, `{"payment":"nowhere"}`, `null`} {
		l := &lease{upstream: upstream}
		_, err := Attach(t.Context(), l.serve(t)+"/attach", dependencies(), time.Minute)
		if err == nil || !strings.Contains(err.Error(), "names no upstream URL for payment") {
			t.Errorf("%s: %v", upstream, err)
		}
		if len(l.deleted) != 1 {
			t.Errorf("%s: the lease was left behind", upstream)
		}
	}
}

func TestReleaseOfAnUnknownLease(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("POST /attach", say(201, `{"lease":"l","upstream":`+twoUpstreams+`}`))
	a, err := Attach(t.Context(), serve(t, mux)+"/attach", dependencies(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Release(t.Context()); err == nil || !strings.Contains(err.Error(), "the lease had ended before") {
		t.Errorf("got %v", err)
	}
}
