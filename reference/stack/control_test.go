package stack

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAttachRenewRelease(t *testing.T) {
	r := start(t, Options{})
	own := r.info().Upstreams
	var answer attachAnswer
	r.call("POST", r.ControlURL+"/attach", attachRequest{Dependencies: map[string]string{payment: attachedURL}, LeaseMs: 60_000}, &answer)
	for _, name := range dependencyNames() {
		if answer.Upstream[name] != own[name] || own[name] == "" {
			t.Errorf("attach names %q as the upstream of %s, info says %q", answer.Upstream[name], name, own[name])
		}
	}
	if got := r.standIn().Pushed; got[payment] != attachedURL || got[inventory] != own[inventory] || len(got) != len(dependencyNames()) {
		t.Errorf("the instance calls %v", got)
	}
	if a := r.info().Attachment; a == nil || a.Dependencies[payment] != attachedURL {
		t.Errorf("info tells of the attachment: %+v", a)
	}

	var refused refusal
	if status := r.call("POST", r.ControlURL+"/attach", attachRequest{Dependencies: map[string]string{orders: attachedURL}, LeaseMs: 1000}, &refused); status != http.StatusConflict || !strings.Contains(refused.Error, " old, ends in ") {
		t.Errorf("a second attach answered %d %q", status, refused.Error)
	}
	if strings.Contains(refused.Error, answer.Lease) {
		t.Errorf("the refusal gives the lease away: %q", refused.Error)
	}

	var renewed struct{ LeaseMs int64 }
	if status := r.call("POST", r.ControlURL+"/attach/"+answer.Lease+"/renew", nil, &renewed); status != http.StatusOK || renewed.LeaseMs != 60_000 {
		t.Errorf("renew answered %d %+v", status, renewed)
	}
	if status := r.call("DELETE", r.ControlURL+"/attach/"+answer.Lease, nil, nil); status != http.StatusNoContent {
		t.Errorf("release answered %d", status)
	}
	if got := r.standIn().Pushed; got[payment] != own[payment] {
		t.Errorf("after the release the instance calls %v", got)
	}
	for method, url := range map[string]string{"POST": "/attach/" + answer.Lease + "/renew", "DELETE": "/attach/" + answer.Lease} {
		if status := r.call(method, r.ControlURL+url, nil, &refused); status != http.StatusNotFound {
			t.Errorf("%s of a released lease answered %d", method, status)
		}
	}
	r.attach(time.Minute) // free again
}

func TestLeaseThatIsNotRenewedReverts(t *testing.T) {
	r := start(t, Options{})
	own := r.info().Upstreams[payment]
	lease := r.attach(20 * time.Millisecond)
	await(t, "the instance calls our upstream again", func() bool { return r.standIn().Pushed[payment] == own })
	if r.info().Attachment != nil {
		t.Error("info still tells of an attachment")
	}
	if status := r.call("POST", r.ControlURL+"/attach/"+lease+"/renew", nil, nil); status != http.StatusNotFound {
		t.Errorf("renewing an expired lease answered %d", status)
	}
}

func TestRestartedInstanceIsAttachedBeforeItIsReady(t *testing.T) {
	r := start(t, Options{})
	r.attach(time.Minute)
	r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, nil)
	got := r.standIn()
	if got.Configured[payment] != attachedURL {
		t.Errorf("it began with %v: parked work would go past the attachment", got.Configured)
	}
	if got.Pushes != 1 || !maps.Equal(got.Pushed, got.Configured) {
		t.Errorf("it had to confirm the same addresses once: %+v", got)
	}
}

func TestAttachFailsWhole(t *testing.T) {
	r := start(t, Options{Instances: 2}, func(l *limits) { l.backoff = time.Millisecond })
	r.call("POST", r.URL+"/refuse", nil, nil)
	var refused refusal
	if status := r.call("POST", r.ControlURL+"/attach", attachRequest{Dependencies: map[string]string{payment: attachedURL}, LeaseMs: 60_000}, &refused); status != http.StatusServiceUnavailable || !strings.Contains(refused.Error, "not today") {
		t.Errorf("attach answered %d %q", status, refused.Error)
	}
	if r.info().Attachment != nil {
		t.Error("half an attachment was left")
	}
	// The instance that refused could not be told to revert, so it is replaced.
	await(t, "the deaf instance was replaced", func() bool {
		in := r.info().Instances
		return in[0].Deaths == 1 && in[0].PID != 0 && in[1].Deaths == 0
	})
	r.attach(time.Minute)
}

func TestInstanceThatDoesNotRevertIsReplaced(t *testing.T) {
	r := start(t, Options{}, func(l *limits) { l.backoff = time.Millisecond })
	lease := r.attach(time.Minute)
	r.call("POST", r.URL+"/refuse", nil, nil)
	if status := r.call("DELETE", r.ControlURL+"/attach/"+lease, nil, nil); status != http.StatusNoContent {
		t.Errorf("release answered %d", status)
	}
	await(t, "its successor is ready", func() bool { in := r.info().Instances[0]; return in.Deaths == 1 && in.PID != 0 })
	if got, own := r.standIn().Configured[payment], r.info().Upstreams[payment]; got != own {
		t.Errorf("the successor calls %s, not %s", got, own)
	}
}

func TestAttachRefusesWhatItCannotMean(t *testing.T) {
	known := map[string]string{payment: "", inventory: "", orders: ""}
	for _, c := range []struct {
		name, dependency, url string
		lease                 int64
		want                  string // in the error, empty if it is fine
	}{
		{"fine", payment, "http://127.0.0.1:9001", 1, ""},
		{"fine with a path", payment, "http://127.0.0.1:9001/stub/1", 600_000, ""},
		{"unknown dependency", "psp", "http://127.0.0.1:9001", 1, "inventory, orders, payment"},
		{"the ledger", ledger, "http://127.0.0.1:9001", 1, "unknown dependency"},
		{"another machine", payment, "http://192.0.2.1:9001", 1, "never leave this machine"},
		{"a name", payment, "http://localhost:9001", 1, "127.0.0.1"},
		{"a name that looks right", payment, "http://127.0.0.1.example:80", 1, "127.0.0.1"},
		{"credentials", payment, "http://u:geheim@127.0.0.1:80", 1, "127.0.0.1"},
		{"TLS", payment, "https://127.0.0.1:80", 1, "http://"},
		{"no port", payment, "http://127.0.0.1", 1, "PORT"},
		{"a query", payment, "http://127.0.0.1:80?x=1", 1, "PATH"},
		{"no URL", payment, "http://127.0.0.1:80 80", 1, "PATH"},
		{"no lease", payment, "http://127.0.0.1:80", 0, "leaseMs"},
		{"a lease for ever", payment, "http://127.0.0.1:80", 600_001, "600000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := attachRequest{Dependencies: map[string]string{c.dependency: c.url}, LeaseMs: c.lease}.check(known)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v does not say %q", err, c.want)
			case err != nil && strings.Contains(err.Error(), "geheim"):
				t.Errorf("a password is shown: %v", err)
			}
		})
	}
	if err := (attachRequest{LeaseMs: 1}).check(known); err == nil {
		t.Error("attaching nothing is accepted")
	}
}

func TestControlServesThisMachineOnly(t *testing.T) {
	h := localOnly(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:80", "", 200}, {"[::1]:80", "", 200}, {"localhost:80", "", 200}, {"127.0.0.1", "", 200},
		{"evil.example:80", "", 403}, {"127.0.0.1.evil.example", "", 403}, {"192.0.2.1:80", "", 403}, {"127.0.0.1:80", "http://127.0.0.1:80", 403},
	} {
		req := httptest.NewRequest("POST", "/restart", nil)
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != c.want {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, w.Code, c.want)
		}
	}
}

func TestControlRefusesWhatItDoesNotKnow(t *testing.T) {
	r := start(t, Options{})
	for _, body := range []any{nil, "text", map[string]string{"instances": "*"}} {
		if status := r.call("POST", r.ControlURL+"/restart", body, nil); status != http.StatusBadRequest {
			t.Errorf("restart with %v answered %d", body, status)
		}
	}
	if status := r.call("GET", r.ControlURL+"/healthz", nil, nil); status != http.StatusOK {
		t.Errorf("healthz answered %d", status)
	}
}

// Whatever happens at the same time, in the end there is one process for an
// address and it calls what is in force.
func TestRestartsAndAttachmentsAtTheSameTime(t *testing.T) {
	r := start(t, Options{Instances: 2}, func(l *limits) { l.backoff = time.Millisecond })
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { _, _ = r.try("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, nil) })
		all.Go(func() {
			var answer attachAnswer
			_, _ = r.try("POST", r.ControlURL+"/attach", attachRequest{Dependencies: map[string]string{payment: attachedURL}, LeaseMs: 60_000}, &answer)
			_, _ = r.try("DELETE", r.ControlURL+"/attach/"+answer.Lease, nil, nil)
		})
		all.Go(func() { _, _ = r.try("POST", r.URL+"/die", nil, nil) })
	}
	all.Wait()
	// Polled as a whole: a process may be listed for a moment after its death.
	await(t, "each address is served by the one process that is listed, with our upstreams", func() bool {
		state := r.info()
		for _, in := range state.Instances {
			var serving standInState
			if _, err := r.try("GET", "http://"+in.Addr+"/", nil, &serving); err != nil || serving.PID != in.PID || serving.Pushed[payment] != state.Upstreams[payment] {
				return false
			}
		}
		return true
	})
}
