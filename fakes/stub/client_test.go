package stub_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/fakes/stub"
	"github.com/wiremock/go-wiremock"
	"go.uber.org/goleak"
)

// go-wiremock uses http.DefaultClient, whose idle connections are no leak.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultClient.CloseIdleConnections()
		if err := goleak.Find(); err != nil && code == 0 {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}))
}

type bench struct {
	*wiremock.Client
	t    *testing.T
	url  string
	http *http.Client
}

// newBench starts a stub server. With ONCECHECK_WIREMOCK_URL set, the tests run
// against that WireMock instead, to hold this package to the original.
func newBench(t *testing.T) bench {
	t.Helper()
	if url := os.Getenv("ONCECHECK_WIREMOCK_URL"); url != "" {
		b := bench{wiremock.NewClient(url), t, url, http.DefaultClient}
		for _, reset := range []func() error{b.Clear, b.DeleteAllRequests, b.ResetAllScenarios} {
			if err := reset(); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(http.DefaultClient.CloseIdleConnections)
		return b
	}
	server := httptest.NewServer(stub.New().Handler())
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections) // runs first: Close waits for them
	return bench{wiremock.NewClient(server.URL), t, server.URL, server.Client()}
}

func (b bench) stub(rule *wiremock.StubRule) *wiremock.StubRule {
	b.t.Helper()
	if err := b.StubFor(rule); err != nil {
		b.t.Fatal(err)
	}
	return rule
}

func (b bench) send(method, path, body string, header ...string) (int, string, http.Header, error) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, io.NopCloser(strings.NewReader(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	resp, err := b.http.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), resp.Header, err
}

func (b bench) wantStatus(want int, method, path, body string, header ...string) {
	b.t.Helper()
	if got, text, _, err := b.send(method, path, body, header...); got != want || err != nil {
		b.t.Errorf("%s %s %s %q: %d %q %v, wanted %d", method, path, body, header, got, text, err, want)
	}
}

func TestAnswers(t *testing.T) {
	b := newBench(t)
	b.stub(wiremock.Get(wiremock.URLEqualTo("/text?q=1")).WillReturnResponse(
		wiremock.NewResponse().WithStatus(503).WithHeader("Retry-After", "7").WithBody("busy")))
	b.stub(wiremock.Post(wiremock.URLPathEqualTo("/json")).WillReturnResponse(
		wiremock.NewResponse().WithJSONBody(map[string]any{"code": "STUBBED", "n": 1})))
	b.stub(wiremock.Put(wiremock.URLPathMatching("/bytes/.*")).WillReturnResponse(
		wiremock.OK().WithBinaryBody([]byte{0, 255, 1}).WithFixedDelay(time.Millisecond)))
	b.stub(wiremock.Delete(wiremock.URLMatching(`/gone\?.*`)).WillReturnResponse(wiremock.NewResponse().WithStatus(204)))

	if status, body, h, err := b.send("GET", "/text?q=1", ""); status != 503 || body != "busy" || h.Get("Retry-After") != "7" || h["Content-Type"] != nil || err != nil {
		t.Errorf("text: %d %q %v %v", status, body, h, err)
	}
	if status, body, _, err := b.send("POST", "/json?x=y", "{}"); status != 200 || body != `{"code":"STUBBED","n":1}` || err != nil {
		t.Errorf("json: %d %q %v", status, body, err)
	}
	if status, body, _, err := b.send("PUT", "/bytes/1", ""); status != 200 || body != "\x00\xff\x01" || err != nil {
		t.Errorf("bytes: %d %q %v", status, body, err)
	}
	b.wantStatus(204, "DELETE", "/gone?x", "")
	b.wantStatus(404, "GET", "/text", "")
	b.wantStatus(404, "POST", "/text?q=1", "")
	b.wantStatus(404, "PUT", "/x/bytes/1", "") // a pattern matches in full
}

func TestPriorityThenNewest(t *testing.T) {
	b := newBench(t)
	answer := func(status int64, priority int64) *wiremock.StubRule {
		return wiremock.Get(wiremock.URLPathEqualTo("/p")).AtPriority(priority).WillReturnResponse(wiremock.NewResponse().WithStatus(status))
	}
	b.stub(answer(201, 1))
	old := b.stub(answer(202, 1))
	b.stub(answer(203, 2))
	b.wantStatus(202, "GET", "/p", "")
	if err := b.DeleteStub(old); err != nil {
		t.Fatal(err)
	}
	b.wantStatus(201, "GET", "/p", "")
	if err := b.DeleteStub(old); err == nil {
		t.Error("a deleted stub was deleted again")
	}
}

func TestMatchers(t *testing.T) {
	for _, tt := range []struct {
		name      string
		matcher   wiremock.BasicParamMatcher
		yes, no   []string // header values
		absentFit bool
	}{
		{"equalTo", wiremock.EqualTo("a"), []string{"a"}, []string{"A", "ab"}, false},
		{"equalTo ignoring case", wiremock.EqualToIgnoreCase("a"), []string{"a", "A"}, []string{"ab"}, false},
		{"contains", wiremock.Contains("b"), []string{"abc"}, []string{"ac"}, false},
		{"doesNotContain", wiremock.NotContains("b"), []string{"ac"}, []string{"abc"}, true},
		{"matches", wiremock.Matching("a.c|d"), []string{"abc", "d"}, []string{"xabc", "abcd", "dd"}, false},
		{"doesNotMatch", wiremock.NotMatching("a.c"), []string{"xabc"}, []string{"abc"}, true},
		{"absent", wiremock.Absent(), nil, []string{"a"}, true},
		{"and", wiremock.Contains("a").And(wiremock.Contains("b")), []string{"ab"}, []string{"a"}, false},
		{"or", wiremock.EqualTo("a").Or(wiremock.Absent()), []string{"a"}, []string{"b"}, true},
		{"not", wiremock.Not(wiremock.EqualTo("a")), []string{"b"}, []string{"a"}, true},
		{"not absent", wiremock.Not(wiremock.Absent()), []string{"a"}, nil, false},
		{"starts with", wiremock.StartsWith("Bearer "), []string{"Bearer x"}, []string{"Basic x"}, false},
		{"equalToJson", wiremock.EqualToJson(`{"a":[1,{"b":null}],"n":1e1}`), []string{`{"n":10, "a":[1,{"b":null}]}`},
			[]string{`{"a":[1,{"b":null}]}`, `{"a":[1,{"b":null}],"n":10,"x":1}`, `{"a":[{"b":null},1],"n":10}`, `nope`, `{} {}`}, false},
		{"equalToJson ignoring extra", wiremock.EqualToJson(`{"a":{}}`, wiremock.IgnoreExtraElements), []string{`{"a":{"b":1},"c":2}`}, []string{`{"c":2}`, `[]`}, false},
		{"equalToJson beyond 2^53", wiremock.EqualToJson(`9007199254740993`), []string{`9007199254740993`}, []string{`9007199254740992`}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			ok := wiremock.NewResponse()
			b.stub(wiremock.Get(wiremock.URLPathEqualTo("/header")).WithHeader("x-value", tt.matcher).WillReturnResponse(ok))
			b.stub(wiremock.Get(wiremock.URLPathEqualTo("/query")).WithQueryParam("v", tt.matcher).WillReturnResponse(ok))
			b.stub(wiremock.Post(wiremock.URLPathEqualTo("/body")).WithBodyPattern(tt.matcher).WillReturnResponse(ok))
			for status, values := range map[int][]string{200: tt.yes, 404: tt.no} {
				for _, v := range values {
					b.wantStatus(status, "GET", "/header", "", "X-Value", v)
					b.wantStatus(status, "POST", "/body", v)
				}
			}
			if len(tt.yes) > 0 && len(tt.no) > 0 {
				b.wantStatus(200, "GET", "/header", "", "X-Value", tt.no[0], "X-Value", tt.yes[0]) // one that fits is enough
			}
			none := 404
			if tt.absentFit {
				none = 200
			}
			b.wantStatus(none, "GET", "/header", "")
			b.wantStatus(none, "GET", "/query", "")
		})
	}
}

func TestJournal(t *testing.T) {
	b := newBench(t)
	b.stub(wiremock.Post(wiremock.URLPathMatching("/stub/7/.*")).WillReturnResponse(wiremock.NewResponse().WithStatus(503)))
	for range 3 {
		b.wantStatus(503, "POST", "/stub/7/charges?q=1", `{"a":1}`, "Idempotency-Key", "k")
	}
	b.wantStatus(404, "POST", "/stub/8/charges", "")

	query := wiremock.NewRequest("ANY", wiremock.URLPathMatching("/stub/7/.*")).WithHeader("Idempotency-Key", wiremock.EqualTo("k"))
	if n, err := b.GetCountRequests(query); n != 3 || err != nil {
		t.Errorf("count: %d %v", n, err)
	}
	found, err := b.FindRequestsByCriteria(query)
	if err != nil || len(found.Requests) != 3 {
		t.Fatalf("find: %+v %v", found, err)
	}
	r := found.Requests[0]
	if r.URL != "/stub/7/charges?q=1" || r.Body != `{"a":1}` || r.QueryParams["q"].Values[0] != "1" || r.Method != "POST" {
		t.Errorf("found: %+v", r)
	}
	all, err := b.GetAllRequests()
	if err != nil || all.Meta.Total != 4 || all.Requests[0].WasMatched || !all.Requests[1].WasMatched || all.Requests[1].ResponseDefinition.Status != 503 {
		t.Fatalf("all: %+v %v", all, err)
	}
	unmatched, err := b.FindUnmatchedRequests()
	if err != nil || len(unmatched.Requests) != 1 || unmatched.Requests[0].URL != "/stub/8/charges" {
		t.Errorf("unmatched: %+v %v", unmatched, err)
	}
	one, err := b.GetRequestByID(all.Requests[0].ID)
	if err != nil || one.Request.URL != "/stub/8/charges" {
		t.Errorf("by id: %+v %v", one, err)
	}
	if err := b.DeleteRequestByID(all.Requests[0].ID); err != nil {
		t.Error(err)
	}
	removed, err := b.DeleteRequestsByCriteria(query)
	if err != nil || len(removed.Requests) != 3 {
		t.Errorf("removed: %+v %v", removed, err)
	}
	if all, err := b.GetAllRequests(); err != nil || all.Meta.Total != 0 {
		t.Errorf("left: %+v %v", all, err)
	}
	b.wantStatus(404, "GET", "/x", "")
	if err := b.DeleteAllRequests(); err != nil {
		t.Error(err)
	}
	if all, err := b.GetAllRequests(); err != nil || all.Meta.Total != 0 {
		t.Errorf("left: %+v %v", all, err)
	}
}

// However many requests arrive together, "fail once" fails once.
func TestScenarioStepsAreAtomic(t *testing.T) {
	b := newBench(t)
	at := wiremock.URLPathEqualTo("/once")
	b.stub(wiremock.Get(at).InScenario("s").WhenScenarioStateIs(wiremock.ScenarioStateStarted).WillSetStateTo("failed").
		WillReturnResponse(wiremock.NewResponse().WithStatus(503)))
	b.stub(wiremock.Get(at).InScenario("s").WhenScenarioStateIs("failed").WillReturnResponse(wiremock.NewResponse()))
	round := func() (failed int64) {
		var count atomic.Int64
		var group sync.WaitGroup
		for range 32 {
			group.Go(func() {
				if status, _, _, err := b.send("GET", "/once", ""); err != nil {
					t.Error(err)
				} else if status == 503 {
					count.Add(1)
				}
			})
		}
		group.Wait()
		return count.Load()
	}
	if n := round(); n != 1 {
		t.Errorf("failed %d times", n)
	}
	if n := round(); n != 0 {
		t.Errorf("failed %d times after the step", n)
	}
	if err := b.ResetAllScenarios(); err != nil {
		t.Fatal(err)
	}
	if n := round(); n != 1 {
		t.Errorf("failed %d times after the reset", n)
	}
}

func TestResets(t *testing.T) {
	for name, reset := range map[string]func(bench) error{
		"clear": func(b bench) error { return b.Clear() },
		"reset": func(b bench) error { return b.Reset() },
		"all": func(b bench) error {
			resp, err := b.http.Post(b.url+"/__admin/reset", "", nil)
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.stub(wiremock.Get(wiremock.URLPathEqualTo("/x")))
			b.wantStatus(200, "GET", "/x", "")
			if err := reset(b); err != nil {
				t.Fatal(err)
			}
			b.wantStatus(404, "GET", "/x", "")
			if _, body, _, _ := b.send("GET", "/__admin/mappings", ""); strings.Join(strings.Fields(body), "") != `{"mappings":[],"meta":{"total":0}}` {
				t.Errorf("mappings: %s", body)
			}
		})
	}
}

// Both sides: what the caller meets, and that the stub counts the request.
func TestFaults(t *testing.T) {
	for fault, wanted := range map[wiremock.Fault]func(error) bool{
		wiremock.FaultConnectionResetByPeer:  func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		wiremock.FaultEmptyResponse:          func(err error) bool { return errors.Is(err, io.EOF) },
		wiremock.FaultRandomDataThenClose:    func(err error) bool { return strings.Contains(fmt.Sprint(err), "malformed HTTP") },
		wiremock.FaultMalformedResponseChunk: func(err error) bool { return err != nil },
	} {
		t.Run(string(fault), func(t *testing.T) {
			b := newBench(t)
			b.stub(wiremock.Post(wiremock.URLPathEqualTo("/f")).WillReturnResponse(wiremock.NewResponse().WithStatus(201).WithFault(fault)))
			if _, _, _, err := b.send("POST", "/f", "body"); !wanted(err) {
				t.Errorf("the caller met %v", err)
			}
			if n, err := b.GetCountRequests(wiremock.NewRequest("POST", wiremock.URLPathEqualTo("/f"))); n != 1 || err != nil {
				t.Errorf("the stub counted %d, %v", n, err)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	b := newBench(t)
	if status, body, _, err := b.send("GET", "/__admin/health", ""); status != 200 || !strings.Contains(body, "healthy") || err != nil {
		t.Errorf("%d %s %v", status, body, err)
	}
}
