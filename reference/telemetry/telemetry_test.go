package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/telemetry"
)

const canary = "canary"

// seen is all that came out of one client.
type seen struct {
	spans tracetest.SpanStubs
	logs  []map[string]any
	sums  map[string]int64 // by name, dependency and outcome
	raw   string           // everything as text
}

// watch lets do make calls with an observed client against peer.
func watch(t *testing.T, peer http.HandlerFunc, do func(c *client.Client, url string)) seen {
	t.Helper()
	s := httptest.NewServer(peer)
	defer s.Close()
	spans, reader, logs := tracetest.NewInMemoryExporter(), metric.NewManualReader(), &bytes.Buffer{}
	observer, err := telemetry.New(trace.NewTracerProvider(trace.WithSyncer(spans)).Tracer("test"),
		metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"), slog.New(slog.NewJSONHandler(logs, nil)))
	if err != nil {
		t.Fatal(err)
	}
	cfg := client.Defaults()
	cfg.Observer = observer
	// Only the waits are short, and what a peer that says nothing takes: a busy
	// machine must not end an attempt that would have been answered.
	cfg.Policy.Base, cfg.Policy.Cap = cfg.Policy.Base/50, cfg.Policy.Cap/50
	cfg.Policy.Read, cfg.Policy.Total = time.Second, 2*time.Second
	c := client.New(cfg)
	defer c.CloseIdle()
	do(c, s.URL)

	got := seen{spans: spans.GetSpans(), sums: map[string]int64{}}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	for _, m := range data.ScopeMetrics[0].Metrics {
		switch points := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range points.DataPoints {
				got.sums[m.Name+" "+value(p.Attributes, "dependency")+" "+value(p.Attributes, "outcome")] += p.Value
			}
		case metricdata.Histogram[float64]:
			for _, p := range points.DataPoints {
				got.sums[m.Name+" "+value(p.Attributes, "dependency")+" "+value(p.Attributes, "outcome")] += int64(p.Count)
			}
		}
	}
	got.raw = fmt.Sprintf("%+v %+v %s", got.spans, data, logs)
	for line := range strings.Lines(logs.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		got.logs = append(got.logs, record)
	}
	return got
}

func value(set attribute.Set, key attribute.Key) string {
	v, _ := set.Value(key)
	return v.String()
}

// busy turns the first n requests away, with what must not be repeated.
func busy(n int64) http.HandlerFunc {
	var met atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Canary", canary)
		if met.Add(1) <= n {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, canary)
	}
}

func charge(url string) client.Request {
	return client.Request{Dependency: "payment", Method: http.MethodPost, URL: url + "/canary?token=canary", Key: canary, CorrelationID: "c1",
		Header: http.Header{"Authorization": {"Bearer canary"}}, Body: []byte(canary)}
}

func TestACallAndItsAttemptsAreSeen(t *testing.T) {
	got := watch(t, busy(2), func(c *client.Client, url string) {
		start := time.Now()
		if _, err := c.Do(t.Context(), charge(url)); err != nil || time.Since(start) <= 0 {
			t.Fatal(err)
		}
	})
	want := map[string]int64{"client.attempts payment server-error": 2, "client.attempts payment answered": 1,
		"client.call.duration payment ANSWERED": 1}
	if fmt.Sprint(got.sums) != fmt.Sprint(want) {
		t.Errorf("counted %v, want %v", got.sums, want)
	}
	if len(got.logs) != 3 {
		t.Fatalf("%d records, want one per attempt: %v", len(got.logs), got.logs)
	}
	for i, outcome := range []string{"server-error", "server-error", "answered"} {
		r := got.logs[i]
		if r["msg"] != "attempt" || r["dependency"] != "payment" || r["attempt"] != float64(i+1) || r["outcome"] != outcome || r["correlationId"] != "c1" {
			t.Errorf("record %d is %v, want %s", i+1, r, outcome)
		}
	}
	if len(got.spans) != 4 {
		t.Fatalf("%d spans, want three attempts and their call", len(got.spans))
	}
	call := got.spans[3] // ended last
	if call.Name != "POST payment" || call.Status.Code == codes.Error || !slices.Contains(call.Attributes, attribute.Int("attempts", 3)) {
		t.Errorf("the call's span is %+v", call)
	}
	for i, s := range got.spans[:3] {
		if s.Parent.SpanID() != call.SpanContext.SpanID() || (s.Status.Code == codes.Error) != (i < 2) || s.EndTime.After(call.EndTime) ||
			!slices.Contains(s.Attributes, attribute.Int("attempt", i+1)) {
			t.Errorf("attempt %d has the span %+v", i+1, s)
		}
	}
}

func TestFailuresAreErrors(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_, _ = io.WriteString(conn, "canary canary\r\n\r\n")
			_ = conn.Close()
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, tc := range map[string]struct {
		peer             http.HandlerFunc
		attempts, result string
	}{
		"503 for ever": {busy(99), "server-error", client.CodeUnavailable},
		"no HTTP":      {cut, "reset", client.CodeUnavailable},
		"silent":       {silent, "timeout", client.CodeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			got := watch(t, tc.peer, func(c *client.Client, url string) {
				req := charge(url)
				req.Body = nil // so that the silent server sees us leave
				if _, err := c.Do(t.Context(), req); err == nil {
					t.Error("a success")
				}
			})
			call := got.spans[len(got.spans)-1]
			if call.Status.Code != codes.Error || call.Status.Description != tc.result || got.sums["client.call.duration payment "+tc.result] != 1 ||
				got.sums["client.attempts payment "+tc.attempts] != int64(len(got.logs)) || len(got.spans) != len(got.logs)+1 {
				t.Errorf("the call ended as %v, counted %v, %d records, %d spans", call.Status, got.sums, len(got.logs), len(got.spans))
			}
			if strings.Contains(got.raw, canary) {
				t.Errorf("what must not be repeated is repeated: %s", got.raw)
			}
		})
	}
}

func TestNothingSecretComesOut(t *testing.T) {
	got := watch(t, busy(1), func(c *client.Client, url string) {
		resp, err := c.Do(t.Context(), charge(url))
		if err != nil || string(resp.Body) != canary { // or there would be nothing to find
			t.Fatal(string(resp.Body), err)
		}
	})
	if strings.Contains(got.raw, canary) || strings.Contains(got.raw, "token") {
		t.Errorf("what must not be repeated is repeated: %s", got.raw)
	}
	if !strings.Contains(got.raw, "c1") || !strings.Contains(got.raw, "payment") {
		t.Errorf("nothing to search in: %s", got.raw)
	}
}

func TestLabelsAreFew(t *testing.T) {
	got := watch(t, busy(0), func(c *client.Client, url string) {
		for i := range 50 {
			req := charge(url)
			req.CorrelationID = fmt.Sprint("c", i)
			if _, err := c.Do(context.Background(), req); err != nil {
				t.Fatal(err)
			}
		}
	})
	if len(got.sums) != 2 || got.sums["client.call.duration payment ANSWERED"] != 50 {
		t.Errorf("series %v, want one per instrument", got.sums)
	}
}

func ExampleNew() {
	observer, err := telemetry.New(trace.NewTracerProvider().Tracer("shop"), noop.NewMeterProvider().Meter("shop"), slog.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := client.Defaults()
	cfg.Observer = observer
	c := client.New(cfg)
	defer c.CloseIdle()
}
