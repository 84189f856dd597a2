package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// twoInstances are two addresses of one shop, or of two that share nothing.
func twoInstances(t *testing.T, shared bool) string {
	t.Helper()
	handler := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodOptions || r.Header.Get("Idempotency-Key") != "" {
				h.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		})
	}
	first := &shop{ids: map[string]string{}, write: plainly}
	second := first
	if !shared {
		second = &shop{ids: map[string]string{"other": "o"}, made: 100, write: plainly}
	}
	one, two := httpServer(t, "127.0.0.1:0", handler(first), nil), httpServer(t, "127.0.0.1:0", handler(second), nil)
	return strings.Replace(profileOf(one.URL, ""), "}\n", fmt.Sprintf(", instances: [%q]}\n", two.URL), 1)
}

// TestInstancesAreTried: an instance that does not know what the first was told is
// another service, and nothing is believed of both.
func TestInstancesAreTried(t *testing.T) {
	for shared, want := range map[bool]int{true: harness.ExitGreen, false: harness.ExitInconclusive} {
		if exit, why := try(t, load(t, twoInstances(t, shared))); exit != want {
			t.Errorf("shared %t: exit %d, want %d: %s", shared, exit, want, why)
		}
	}
}

// TestAbandon: the target sees that its caller hung up, whether in the middle of
// the request or while it works.
func TestAbandon(t *testing.T) {
	var cut, left atomic.Int64
	working := make(chan struct{})
	s := &shop{ids: map[string]string{}, write: plainly}
	server := httpServer(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			cut.Add(1)
			return
		}
		if strings.HasSuffix(r.Header.Get("X-Oncecheck-Case-Id"), "/working") && r.Header.Get("X-Oncecheck-Attempt") == "1" {
			close(working)
			<-r.Context().Done()
			left.Add(1)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.ServeHTTP(w, r)
	}), nil)
	abandoning := replayed()
	abandoning.Scenarios[0].Drive = func(ctx context.Context, s *harness.Session) error {
		a := harness.Attempt{Principal: s.DefaultPrincipal()}
		half := a
		half.Half = true
		at := func(ctx context.Context) error {
			select {
			case <-working:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := errors.Join(s.Abandon(ctx, s.Case("half"), half, "in the middle", nil), s.Abandon(ctx, s.Case("working"), a, "at work", at))
		if late := s.Abandon(ctx, s.Case("answered"), a, "too late", func(ctx context.Context) error { <-ctx.Done(); return nil }); late == nil || !strings.Contains(late.Error(), "was answered") {
			t.Errorf("an attempt that was answered was abandoned: %v", late)
		}
		return err
	}
	abandoning.Scenarios[0].Checks[0].Judge = func(h *harness.History) harness.Verdict {
		marks, outcomes := 0, ""
		for e := range h.Events() {
			switch {
			case e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkAbandoned:
				marks++
			case e.Type == harness.CallEvent && e.Call.Outcome != harness.CallAnswered:
				outcomes += string(e.Call.Outcome) + " "
			}
		}
		if marks != 2 || outcomes != "part peer-left " {
			return harness.Failed("two abandonments", fmt.Sprint(marks, outcomes))
		}
		return harness.Passed("abandoned")
	}
	if exit, why := tryAll(t, load(t, profileOf(server.URL, "")), abandoning); exit != harness.ExitGreen {
		t.Errorf("exit %d: %s", exit, why)
	}
	if cut.Load() != 1 || left.Load() != 1 {
		t.Errorf("the target saw %d requests cut and %d callers leave, want 1 and 1", cut.Load(), left.Load())
	}
}
