package stack

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// checkout sends one checkout of alice and returns the answer.
func (r *running) checkout(key, cart string) (int, []byte) {
	r.t.Helper()
	body := `{"cartId":"` + cart + `","cartVersion":1,"currency":"EUR","amount":4200,"paymentToken":"tok_ok"}`
	req, err := http.NewRequestWithContext(r.t.Context(), "POST", r.URL+"/checkout", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.GetBody = nil // the transport must not repeat it
	req.Header.Set("Authorization", "Bearer "+r.Tokens["alice"])
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatalf("checkout: %v\n%s", err, r.log)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// effects returns the kinds in the ledger that carry the reference.
func (r *running) effects(reference string) []string {
	r.t.Helper()
	var book struct {
		Entries []struct{ Kind, Reference string }
	}
	r.call("GET", r.LedgerURL+"?since=0", nil, &book)
	kinds := []string{}
	for _, e := range book.Entries {
		if e.Reference == reference {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func TestReferenceAnswersTheSameAfterARestart(t *testing.T) {
	r := start(t, Options{Command: command(roleReal)})
	status, before := r.checkout("key-1", "cart-1")
	if status != http.StatusCreated {
		t.Fatalf("checkout answered %d %s\n%s", status, before, r.log)
	}
	if status := r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, nil); status != http.StatusOK {
		t.Fatalf("restart answered %d\n%s", status, r.log)
	}
	status, after := r.checkout("key-1", "cart-1")
	if status != http.StatusCreated || !bytes.Equal(before, after) {
		t.Errorf("the replay after the restart is %d %s, the answer was %s", status, after, before)
	}
	if got := r.effects("cart-1"); len(got) != 3 {
		t.Errorf("one checkout and its replay left %v", got)
	}
	if log := r.log.String(); strings.Contains(log, r.Tokens["alice"]) || strings.Contains(log, "tok_ok") {
		t.Errorf("the log shows a token:\n%s", log)
	}
}

func TestReferenceCallsWhatIsAttached(t *testing.T) {
	r := start(t, Options{Command: command(roleReal)})
	upstream, err := url.Parse(r.info().Upstreams[payment])
	if err != nil {
		t.Fatal(err)
	}
	var seen atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	link := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		seen.Add(1)
		proxy.ServeHTTP(w, req)
	}))
	defer link.Close()

	var answer attachAnswer
	r.call("POST", r.ControlURL+"/attach", attachRequest{
		Dependencies: map[string]string{payment: link.URL}, LeaseMs: time.Minute.Milliseconds(),
	}, &answer)
	for i, step := range []struct {
		what string
		do   func()
		want int64 // payment calls through the link afterwards
	}{
		{"attached", func() {}, 1},
		{"restarted", func() { r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, nil) }, 2},
		{"released", func() { r.call("DELETE", r.ControlURL+"/attach/"+answer.Lease, nil, nil) }, 2},
	} {
		step.do()
		cart := "cart-" + step.what
		if status, body := r.checkout("key-"+step.what, cart); status != http.StatusCreated {
			t.Fatalf("%s: checkout answered %d %s\n%s", step.what, status, body, r.log)
		}
		if got := seen.Load(); got != step.want {
			t.Errorf("step %d, %s: %d calls passed the link, want %d", i, step.what, got, step.want)
		}
		if got := r.effects(cart); len(got) != 3 {
			t.Errorf("%s: the checkout left %v", step.what, got)
		}
	}
}

func TestInstancesOfTheReferenceShareOneStore(t *testing.T) {
	r := start(t, Options{Command: command(roleReal), Instances: 2})
	_, first := r.checkout("key-1", "cart-1")
	r.URL = "http://" + r.info().Instances[1].Addr
	_, second := r.checkout("key-1", "cart-1")
	if !bytes.Equal(first, second) || !json.Valid(first) {
		t.Errorf("one instance answered %s, the other %s", first, second)
	}
	if got := r.effects("cart-1"); len(got) != 3 {
		t.Errorf("one checkout on two instances left %v", got)
	}
}

func TestUnknownMutantIsNamed(t *testing.T) {
	err := Serve(t.Context(), Options{Command: command(roleReal), Mutant: "no-such-sin"}, func(Info) { t.Error("ready") })
	if err == nil || !strings.Contains(err.Error(), "no-such-sin") {
		t.Error(err)
	}
}
