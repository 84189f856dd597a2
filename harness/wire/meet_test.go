package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestMeet: nobody's request is complete at the upstream before everybody's is
// on its way, and afterwards nobody waits.
func TestMeet(t *testing.T) {
	const n = 8
	var sent, served atomic.Int32
	early := make(chan string, n)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if sent.Load() < n {
			early <- "a request was complete before all had been sent"
		}
		served.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer upstream.Close()
	j := NewJournal()
	link, err := Open(Config{Name: "client", Upstream: upstream.URL, CaseHeader: "X-Case"}, j)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = link.Close() }()
	defer j.Follow("c", []string{"c"}, func(harness.Call) {})()
	link.Meet("c", n)

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(caseID string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link.URL()+"/", strings.NewReader("body"))
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("X-Case", caseID)
		sent.Add(1)
		response, err := client.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		_ = response.Body.Close()
	}
	var callers sync.WaitGroup
	for range n {
		callers.Go(func() { post("c") })
	}
	callers.Wait()
	post("c")       // the meeting is over
	post("another") // and was none of another case's business
	if len(early) > 0 {
		t.Error(<-early)
	}
	if served.Load() != n+2 {
		t.Errorf("%d requests served, want %d", served.Load(), n+2)
	}
	link.mu.Lock()
	defer link.mu.Unlock()
	if len(link.meetings) > 0 {
		t.Error("a meeting is still open")
	}
}
