package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world serves all handlers in memory, without a socket.
type world struct {
	*provider.Provider
	payment, inventory, orders, ledger http.Handler
}

func newWorld() world {
	p := provider.New(provider.WithClock(func() time.Time { return time.Unix(1700000000, 0) }))
	return world{p, p.Payment(), p.Inventory(), p.Orders(), p.LedgerHandler()}
}

// ask sends one request and returns status and body. dropped is true if the
// handler ended the connection in place of an answer.
func ask(h http.Handler, method, path, key, body string) (status int, answer string, dropped bool) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	r.Header.Set("X-Correlation-ID", "corr-"+key)
	w := httptest.NewRecorder()
	defer func() {
		if e := recover(); e != nil {
			if err, ok := e.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				panic(e)
			}
			dropped = true
		}
	}()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String(), false
}

func member(t *testing.T, body, name string) string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("body %q: %v", body, err)
	}
	return fmt.Sprint(m[name])
}

func kinds(entries []provider.Entry) string {
	var names []string
	for _, e := range entries {
		names = append(names, string(e.Kind))
	}
	return strings.Join(names, " ")
}

const (
	charge  = `{"reference":"cart-1","amount":1250,"currency":"EUR","token":"tok_ok"}`
	reserve = `{"reference":"cart-1","quantity":1}`
	order   = `{"reference":"cart-1","amount":1250,"currency":"EUR","chargeId":"c","reservationId":"r"}`
)

func TestEachMutationIsOneEntryPerKey(t *testing.T) {
	w := newWorld()
	for _, tt := range []struct {
		name, path, body, status, kind string
		handler                        http.Handler
	}{
		{"charge", "/charges", charge, "succeeded", "charge", w.payment},
		{"authorization", "/authorizations", charge, "authorized", "authorization", w.payment},
		{"reservation", "/reservations", reserve, "reserved", "reservation", w.inventory},
		{"order", "/orders", order, "created", "order", w.orders},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := int64(len(w.Entries(0)))
			key := "key-" + tt.name
			status, first, _ := ask(tt.handler, "POST", tt.path, key, tt.body)
			if status != http.StatusCreated || member(t, first, "status") != tt.status || member(t, first, "id") == "" {
				t.Fatalf("first: %d %s", status, first)
			}
			if status, again, _ := ask(tt.handler, "POST", tt.path, key, tt.body); status != http.StatusCreated || again != first {
				t.Errorf("replay: %d %s, wanted 201 %s", status, again, first)
			}
			other := strings.Replace(tt.body, "cart-1", "cart-2", 1)
			if status, body, _ := ask(tt.handler, "POST", tt.path, key, other); status != http.StatusConflict || member(t, body, "code") != "idempotency_conflict" {
				t.Errorf("other body: %d %s", status, body)
			}
			if status, body, _ := ask(tt.handler, "GET", tt.path+"?key="+key, "", ""); status != http.StatusOK || member(t, body, "id") != member(t, first, "id") {
				t.Errorf("query: %d %s", status, body)
			}
			if status, _, _ := ask(tt.handler, "GET", tt.path+"?key=never-used", "", ""); status != http.StatusNotFound {
				t.Errorf("query of an unused key: %d", status)
			}
			if status, _, _ := ask(tt.handler, "GET", tt.path, "", ""); status != http.StatusBadRequest {
				t.Errorf("query without a key: %d", status)
			}
			entries := w.Entries(before)
			if kinds(entries) != tt.kind {
				t.Fatalf("ledger: %q, wanted one %s", kinds(entries), tt.kind)
			}
			if e := entries[0]; e.ID != member(t, first, "id") || e.Key != key || e.Reference != "cart-1" || e.CorrelationID != "corr-"+key || e.Seq != before+1 {
				t.Errorf("entry: %+v", e)
			}
		})
	}
}

func TestWithoutAKeyItExecutesEachTime(t *testing.T) {
	w := newWorld()
	_, first, _ := ask(w.payment, "POST", "/charges", "", charge)
	_, second, _ := ask(w.payment, "POST", "/charges", "", charge)
	if member(t, first, "id") == member(t, second, "id") || kinds(w.Entries(0)) != "charge charge" {
		t.Errorf("%s %s %s", first, second, kinds(w.Entries(0)))
	}
}

func TestAKeyIsScopedToItsRoute(t *testing.T) {
	w := newWorld()
	ask(w.payment, "POST", "/charges", "k", charge)
	ask(w.payment, "POST", "/authorizations", "k", charge)
	if got := kinds(w.Entries(0)); got != "charge authorization" {
		t.Errorf("ledger: %s", got)
	}
}

func TestADeclineIsRememberedAndLeavesNoEntry(t *testing.T) {
	w := newWorld()
	declined := strings.Replace(charge, "tok_ok", provider.TokenDeclined, 1)
	for range 2 {
		status, body, _ := ask(w.payment, "POST", "/charges", "k", declined)
		if status != http.StatusPaymentRequired || member(t, body, "code") != "card_declined" {
			t.Fatalf("%d %s", status, body)
		}
	}
	if status, _, _ := ask(w.payment, "POST", "/charges", "k", charge); status != http.StatusConflict {
		t.Errorf("another body under a declined key: %d", status)
	}
	if status, _, _ := ask(w.payment, "GET", "/charges?key=k", "", ""); status != http.StatusNotFound {
		t.Errorf("query of a declined key: %d", status)
	}
	if n := len(w.Entries(0)); n != 0 {
		t.Errorf("%d entries", n)
	}
}

// Both sides: the caller sees a dead connection, the ledger one charge.
func TestAnUnknownOutcomeCommitsAndDropsOnce(t *testing.T) {
	w := newWorld()
	server := httptest.NewServer(w.payment)
	defer server.Close()
	post := func() (*http.Response, error) {
		body := io.NopCloser(strings.NewReader(strings.Replace(charge, "tok_ok", provider.TokenUnknown, 1)))
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/charges", body) // no GetBody: the transport must not repeat it
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Idempotency-Key", "k")
		return server.Client().Do(r)
	}
	if resp, err := post(); err == nil {
		t.Fatalf("the first caller got an answer: %d", resp.StatusCode)
	}
	if got := kinds(w.Entries(0)); got != "charge" {
		t.Fatalf("ledger after the drop: %q", got)
	}
	resp, err := post()
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusCreated || kinds(w.Entries(0)) != "charge" {
		t.Errorf("repeat: %d, ledger %q", resp.StatusCode, kinds(w.Entries(0)))
	}
}

func TestUndoingHappensOnce(t *testing.T) {
	w := newWorld()
	for _, tt := range []struct {
		create, body, act, status, kinds string
		handler                          http.Handler
	}{
		{"/charges", charge, "void", "voided", "charge void", w.payment},
		{"/charges", charge, "refund", "refunded", "charge refund", w.payment},
		{"/authorizations", charge, "void", "voided", "authorization void", w.payment},
		{"/authorizations", charge, "capture", "captured", "authorization capture", w.payment},
		{"/reservations", reserve, "release", "released", "reservation release", w.inventory},
	} {
		t.Run(tt.create+" "+tt.act, func(t *testing.T) {
			before := int64(len(w.Entries(0)))
			_, made, _ := ask(tt.handler, "POST", tt.create, "", tt.body)
			id := member(t, made, "id")
			for _, key := range []string{"", "u-" + id, "u-" + id, "v-" + id} {
				status, body, _ := ask(tt.handler, "POST", tt.create+"/"+id+"/"+tt.act, key, "")
				if status != http.StatusOK || member(t, body, "status") != tt.status {
					t.Fatalf("key %q: %d %s", key, status, body)
				}
			}
			entries := w.Entries(before)
			if kinds(entries) != tt.kinds || entries[1].ID != id || entries[1].Amount != entries[0].Amount || entries[1].Reference != "cart-1" {
				t.Errorf("ledger: %+v", entries)
			}
			if status, _, _ := ask(tt.handler, "POST", tt.create+"/unknown/"+tt.act, "", ""); status != http.StatusNotFound {
				t.Errorf("unknown id: %d", status)
			}
		})
	}
}

func TestACaptureAndAVoidExcludeEachOther(t *testing.T) {
	w := newWorld()
	_, made, _ := ask(w.payment, "POST", "/authorizations", "", charge)
	id := member(t, made, "id")
	ask(w.payment, "POST", "/authorizations/"+id+"/capture", "", "")
	if status, _, _ := ask(w.payment, "POST", "/authorizations/"+id+"/void", "", ""); status != http.StatusConflict {
		t.Errorf("void of a captured authorization: %d", status)
	}
	if status, _, _ := ask(w.payment, "POST", "/charges/"+id+"/void", "", ""); status != http.StatusNotFound {
		t.Errorf("an authorization was voided as a charge: %d", status)
	}
	if got := kinds(w.Entries(0)); got != "authorization capture" {
		t.Errorf("ledger: %s", got)
	}
}

func TestARefundAndAVoidExcludeEachOther(t *testing.T) {
	w := newWorld()
	for first, second := range map[string]string{"void": "refund", "refund": "void"} {
		_, made, _ := ask(w.payment, "POST", "/charges", "", charge)
		id := member(t, made, "id")
		ask(w.payment, "POST", "/charges/"+id+"/"+first, "", "")
		if status, _, _ := ask(w.payment, "POST", "/charges/"+id+"/"+second, "", ""); status != http.StatusConflict {
			t.Errorf("%s after %s: %d", second, first, status)
		}
	}
	if got := len(w.Entries(0)); got != 4 {
		t.Errorf("%d entries", got)
	}
}

func TestRefusalsLeaveTheKeyUnused(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     int
	}{
		{"no JSON", `nope`, 400},
		{"no object", `[1]`, 400},
		{"null", `null`, 400},
		{"empty", ``, 400},
		{"trailing data", charge + `{}`, 400},
		{"fraction", `{"amount":12.5,"currency":"EUR","token":"t"}`, 422},
		{"text amount", `{"amount":"12","currency":"EUR","token":"t"}`, 422},
		{"zero amount", `{"amount":0,"currency":"EUR","token":"t"}`, 422},
		{"currency", `{"amount":1,"currency":"eur","token":"t"}`, 422},
		{"no token", `{"amount":1,"currency":"EUR"}`, 422},
		{"too large", `{"reference":"` + strings.Repeat("x", 1<<17) + `"}`, 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			status, body, _ := ask(w.payment, "POST", "/charges", "k", tt.body)
			if status != tt.status || member(t, body, "code") != "invalid_request" {
				t.Errorf("%d %s, wanted %d", status, body, tt.status)
			}
			if status, _, _ := ask(w.payment, "POST", "/charges", "k", charge); status != http.StatusCreated {
				t.Errorf("the key was used up: %d", status)
			}
		})
	}
}

func TestTwoKeyLinesAreRefused(t *testing.T) {
	w := newWorld()
	r := httptest.NewRequest("POST", "/charges", strings.NewReader(charge))
	r.Header["Idempotency-Key"] = []string{"a", "b"}
	rec := httptest.NewRecorder()
	w.payment.ServeHTTP(rec, r)
	if rec.Code != http.StatusBadRequest || len(w.Entries(0)) != 0 {
		t.Errorf("%d, %d entries", rec.Code, len(w.Entries(0)))
	}
}

func TestConcurrentRequestsWithOneKeyLeaveOneEntry(t *testing.T) {
	w := newWorld()
	const callers = 32
	var group sync.WaitGroup
	start := make(chan struct{})
	answers := make([]string, callers)
	for i := range callers {
		group.Go(func() {
			<-start
			_, answers[i], _ = ask(w.payment, "POST", "/charges", "k", charge)
		})
	}
	close(start)
	group.Wait()
	for _, a := range answers {
		if a != answers[0] {
			t.Fatalf("answers differ: %q and %q", a, answers[0])
		}
	}
	if got := kinds(w.Entries(0)); got != "charge" {
		t.Errorf("ledger: %s", got)
	}
}

func TestLedgerOverHTTP(t *testing.T) {
	w := newWorld()
	if status, body, _ := ask(w.ledger, "GET", "/ledger", "", ""); status != 200 || strings.TrimSpace(body) != `{"entries":[]}` {
		t.Errorf("empty: %d %s", status, body)
	}
	ask(w.inventory, "POST", "/reservations", "a", reserve)
	ask(w.payment, "POST", "/charges", "b", charge)
	_, body, _ := ask(w.ledger, "GET", "/ledger?since=1", "", "")
	var got struct{ Entries []map[string]any }
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Entries) != 1 {
		t.Fatalf("since=1: %s", body)
	}
	e := got.Entries[0]
	delete(e, "id")
	if text, _ := json.Marshal(e); string(text) != `{"amount":1250,"at":"2023-11-14T22:13:20Z","correlationId":"corr-b","currency":"EUR","key":"b","kind":"charge","reference":"cart-1","seq":2}` {
		t.Errorf("entry: %s", text)
	}
	for since, status := range map[string]int{"0": 200, "2": 200, "99": 200, "-1": 400, "x": 400, "": 400, "9999999999999999999999": 400} {
		if got, _, _ := ask(w.ledger, "GET", "/ledger?since="+since, "", ""); got != status {
			t.Errorf("since=%q: %d, wanted %d", since, got, status)
		}
	}
}
