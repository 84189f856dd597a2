package stack

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// dies sends a checkout that gets no answer, and returns once a process has died.
func (r *running) dies(point string, deaths int) {
	r.t.Helper()
	body := `{"cartId":"cart-` + point + `","cartVersion":1,"currency":"EUR","amount":4200,"paymentToken":"tok_ok"}`
	req, err := http.NewRequestWithContext(r.t.Context(), "POST", r.URL+"/checkout", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.GetBody = nil // the transport must not repeat it
	for name, value := range map[string]string{"Authorization": "Bearer " + r.Tokens["alice"], "Content-Type": "application/json",
		"Idempotency-Key": "key-" + point, "X-Correlation-ID": "corr-" + point} {
		req.Header.Set(name, value)
	}
	if resp, err := r.http.Do(req); err == nil {
		_ = resp.Body.Close()
		r.t.Errorf("%s: it was answered %s", point, resp.Status)
	}
	r.until(func() bool {
		var state crashState
		return r.call("GET", r.ControlURL+"/crash", nil, &state) == http.StatusOK && state.Deaths == deaths
	}, "a process died at "+point)
}

// until polls what nothing announces.
func (r *running) until(holds func() bool, what string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.t.Fatalf("waited in vain until %s\n%s", what, r.log)
		}
	}
}

// TestCrashPoints: at each of its points the process dies once, under the request
// that it was told of, and whoever takes over does everything once.
func TestCrashPoints(t *testing.T) {
	r := start(t, Options{Command: command(roleReal), Scale: 5})
	for i, point := range crashPoints() {
		r.mustSet("/crash", map[string]any{"point": point, "correlationId": "corr-" + point, "leaseMs": 60_000})
		r.checkout(fmt.Sprintf("another-%d", i), fmt.Sprintf("another-%d", i)) // under which nobody dies
		r.dies(point, i+1)
		r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, nil)
	}
	for _, point := range crashPoints() {
		r.until(func() bool {
			status, _ := r.checkout("key-"+point, "cart-"+point)
			return status == http.StatusCreated
		}, point+" ended")
		got := r.effects("cart-" + point)
		slices.Sort(got)
		if fmt.Sprint(got) != "[charge order reservation]" {
			t.Errorf("%s left %v", point, got)
		}
	}
}

func TestCrashOrders(t *testing.T) {
	r := start(t, Options{Command: command(roleReal)})
	for _, body := range []map[string]any{{"point": "nowhere", "leaseMs": 1}, {"point": crashAfterReserve, "leaseMs": -1}, {}} {
		if status, why := r.set("/crash", body); status != http.StatusBadRequest || !strings.HasPrefix(why, "crash: ") {
			t.Errorf("%v answered %d %s", body, status, why)
		}
	}
	r.mustSet("/crash", map[string]any{"point": crashAfterReserve})
	var state crashState
	if r.call("DELETE", r.ControlURL+"/crash", nil, &state); state.Armed != "" || len(state.Points) != len(crashPoints()) {
		t.Errorf("after it was disarmed: %+v", state)
	}
	if status, answer := r.checkout("key", "cart"); status != http.StatusCreated {
		t.Errorf("a checkout was answered %d %s", status, answer)
	}
	r.mustSet("/crash", map[string]any{"point": crashAfterReserve, "leaseMs": 1})
	r.until(func() bool {
		var now crashState
		return r.call("GET", r.ControlURL+"/crash", nil, &now) == http.StatusOK && now.Armed == ""
	}, "the lease is over")
}
