package probe

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/oncecheck/oncecheck/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const contract = `.entries[] | {seq, kind, id, key, reference, correlationId, amount, currency, at}`

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func answer(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	}
}

func open(t *testing.T, url, jq string) *HTTPProbe {
	t.Helper()
	p, err := HTTP(nil, url, nil, jq)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEffectsOfTheContractsLedger(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query().Get("since"); got != "4" {
			t.Errorf("since is %q", got)
		}
		if r.Header.Get("Authorization") != "Bearer reader" || r.Method != http.MethodGet {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		answer("application/json", `{"entries":[
			{"seq":9007199254740993,"kind":"order","id":"o-1","reference":"cart-1","amount":9007199254740993,"currency":"EUR","at":"2026-01-02T03:04:05Z","extra":[1]},
			{"seq":5,"kind":"charge","id":"c-1","key":"k","correlationId":"corr","amount":1001.0}]}`)(w, r)
	})
	p, err := HTTP(nil, url+"/ledger?since={{since}}", map[string]string{"Authorization": "Bearer reader"}, contract)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Effects(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	want := []harness.Effect{
		{Seq: 5, Kind: "charge", ID: "c-1", Key: "k", CorrelationID: "corr", Amount: 1001},
		{Seq: 9007199254740993, Kind: "order", ID: "o-1", Reference: "cart-1", Amount: 9007199254740993, Currency: "EUR", At: "2026-01-02T03:04:05Z"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFilteringIsOurs(t *testing.T) {
	numbered := serve(t, answer("application/json", `[{"seq":3,"kind":"a","id":"3"},{"seq":1,"kind":"a","id":"1"},{"seq":2,"kind":"a","id":"2"}]`))
	plain := serve(t, answer("application/json", `[{"kind":"a","id":"1"},{"kind":"a","id":"2"},{"kind":"a","id":"3"}]`))
	for _, url := range []string{numbered, plain, numbered + "/?since={{since}}"} {
		for after, want := range map[int64]string{0: "1 2 3", 1: "2 3", 3: "", 1<<63 - 1: ""} {
			effects, err := open(t, url, ".[]").Effects(t.Context(), after)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, e := range effects {
				ids = append(ids, e.ID)
			}
			if got := strings.Join(ids, " "); got != want {
				t.Errorf("after %d: %q, want %q", after, got, want)
			}
		}
	}
}

// An error is worth more than a guess: each of these could hide a second charge.
func TestUnclearLedgersAreErrors(t *testing.T) {
	const j = "application/json"
	tests := []struct {
		name, kind, body, jq, path, want string
	}{
		{"HTML", "text/html; charset=utf-8", "welcome", ".[]", "", "a page for people (HTML)"},
		{"HTML by its looks", j, "\n  <!doctype html>", ".[]", "", "a page for people (HTML)"},
		{"not JSON", j, "{", ".[]", "", "not JSON"},
		{"empty", j, "", ".[]", "", "not JSON"},
		{"two values", j, "[] []", ".[]", "", "more than one JSON value"},
		{"jq error", j, `{"entries":null}`, ".entries[]", "", "ended in an error after 0 entries: cannot iterate over: null"},
		{"no object", j, `[5]`, ".[]", "", "entry 1: the jq expression gave number"},
		{"no kind", j, `[{"id":"1"}]`, ".[]", "", "entry 1: kind and id must be there"},
		{"no id", j, `[{"kind":"a","id":"1"},{"kind":"a","id":null}]`, ".[]", "", "entry 2: kind and id must be there"},
		{"numeric id", j, `[{"kind":"a","id":7}]`, ".[]", "", "id is number; it must be a string, which in jq (.id | tostring)"},
		{"text amount", j, `[{"kind":"a","id":"1","amount":"7"}]`, ".[]", "", "amount is string; it must be a number"},
		{"fraction", j, `[{"kind":"a","id":"1","amount":10.01}]`, ".[]", "", "amount is not a whole number"},
		{"calculated fraction", j, `[{"kind":"a","id":"1","amount":1001}]`, ".[] | .amount /= 100", "", "amount is not a whole number"},
		{"lost digits", j, `[{"kind":"a","id":"1","amount":9007199254740993}]`, ".[] | .amount *= 1.5", "", "amount is not a whole number"},
		{"too large", j, `[{"kind":"a","id":"1","amount":9223372036854775808}]`, ".[]", "", "amount does not fit"},
		{"absurd exponent", j, `[{"kind":"a","id":"1","amount":1e999999999}]`, ".[]", "", "amount is not a whole number"},
		{"no seq", j, `[{"kind":"a","id":"1"}]`, ".[]", "/?since={{since}}", "entry 1 has no seq"},
		{"some seq", j, `[{"kind":"a","id":"1","seq":1},{"kind":"a","id":"2"}]`, ".[]", "", "1 of 2 entries have a seq"},
		{"seq zero", j, `[{"kind":"a","id":"1","seq":0}]`, ".[]", "", "sequence numbers begin at 1"},
		{"seq twice", j, `[{"kind":"a","id":"1","seq":1},{"kind":"b","id":"2","seq":1}]`, ".[]", "", `two entries have seq 1: a "1" and b "2"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			effects, err := open(t, serve(t, answer(test.kind, test.body))+test.path, test.jq).Effects(t.Context(), 0)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %+v, %v, want %s", effects, err, test.want)
			}
		})
	}
}

func TestUnusableAnswers(t *testing.T) {
	tests := []struct {
		name, want string
		handler    http.HandlerFunc
	}{
		{"status", "status 401 instead of 200", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }},
		{"empty success", "status 204 instead of 200", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }},
		{"redirect", "it redirects (status 302)", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", 302) }},
		{"broken off", "broke off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "[")
		}},
		{"no answer", "EOF", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"too large", "larger than 32 MiB", func(w http.ResponseWriter, _ *http.Request) {
			block := make([]byte, 1<<20)
			for range 33 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := open(t, serve(t, test.handler)+"/ledger?token=s3cr3t", ".[]").Effects(t.Context(), 0)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			} else if strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error shows the query: %v", err)
			}
		})
	}
}

func TestTheCallersContextEndsARead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	entered := make(chan struct{})
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})
	go func() { <-entered; cancel() }()
	if _, err := open(t, url, ".[]").Effects(ctx, 0); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("got %v", err)
	}
}

func TestAnEndlessExpressionEndsWithItsContext(t *testing.T) {
	code, err := ledger().compile("def f: f; f")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ledger().pick(ctx, code, []byte("{}"), &gathered[harness.Effect]{kind: effects()}); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("got %v", err)
	}
}

func TestEntriesAreBounded(t *testing.T) {
	code, err := ledger().compile("repeat(.)")
	if err != nil {
		t.Fatal(err)
	}
	// Not through Effects, whose time limit might end a slow machine's run first.
	if err := ledger().pick(t.Context(), code, []byte(`{"kind":"a","id":"1"}`), &gathered[harness.Effect]{kind: effects()}); err == nil || !strings.Contains(err.Error(), "more than 1048576 entries") {
		t.Errorf("got %v", err)
	}
}

func TestSetUpErrors(t *testing.T) {
	for _, test := range []struct{ url, jq, want string }{
		{"ledger", ".", "no absolute http or https URL"},
		{"ftp://127.0.0.1/x", ".", "no absolute http or https URL"},
		{"http://127.0.0.1:1/", ".entries[", "does not parse"},
		{"http://127.0.0.1:1/", "nothing_of_that_name", "does not compile"},
	} {
		_, err := HTTP(nil, test.url, nil, test.jq)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.jq, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v", test.url, test.jq, err)
		}
	}
}

func TestExpressionsSeeNoEnvironment(t *testing.T) {
	t.Setenv("PROBE_SECRET", "s3cr3t")
	url := serve(t, answer("application/json", "{}"))
	_, err := open(t, url, `{kind: "a", id: ($ENV.PROBE_SECRET // env.PROBE_SECRET)}`).Effects(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), "kind and id must be there") {
		t.Errorf("got %v", err)
	}
}

// Any JSON and any expression of a small set give effects in order, or an error.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"kind":"a","id":"1","seq":2,"amount":1e3},{"kind":"a","id":"2","seq":1}]`), int64(0))
	f.Add([]byte(`[{"kind":"a","id":"1","amount":1e-999999}]`), int64(1))
	f.Fuzz(func(t *testing.T, body []byte, after int64) {
		code, err := ledger().compile(".[]")
		if err != nil {
			t.Fatal(err)
		}
		found := &gathered[harness.Effect]{kind: effects()}
		if err := ledger().pick(t.Context(), code, body, found); err != nil {
			return
		}
		last := max(after, 0)
		for _, e := range found.above(after) {
			if e.Seq <= last || e.Kind == "" || e.ID == "" {
				t.Fatalf("effect %+v after %d", e, last)
			}
			last = e.Seq
		}
	})
}
