package bench

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/telemetry"
)

// calls is how many calls each side makes in one round.
const calls = 3000

// calling compares one successful keyed call over a pooled connection, the answer
// read in full: what every call pays for retries that it does not need. A call is
// so short that a neighbour on the machine doubles it, so the sides take turns
// call by call, and medians are compared.
func calling(t *testing.T, out io.Writer) {
	url := upstream(t).URL + "/charges"
	ours, seen, peer, other := resilient(t, url, nil), resilient(t, url, observed(t)), bare(t, url), retryable(t, url)
	for _, row := range []struct {
		what, peer string
		ours, them func() error
	}{
		{"call with reference/client", "net/http", ours, peer},
		{"the same with spans, metrics and logs", "net/http", seen, peer},
		{"call with reference/client", "hashicorp/go-retryablehttp, its time limit set", ours, other},
	} {
		var ratios []float64
		var ns [2]int64
		for range rounds {
			ns = inTurns(t, row.ours, row.them)
			ratios = append(ratios, float64(ns[0])/float64(ns[1]))
		}
		slices.Sort(ratios)
		fmt.Fprintf(out, "%s\t%d\t%s\t%d\t%.2fx\t%.0f\t%.0f\n", row.what, ns[0], row.peer, ns[1], ratios[rounds/2],
			testing.AllocsPerRun(500, func() { _ = row.ours() }), testing.AllocsPerRun(500, func() { _ = row.them() }))
	}
}

// inTurns returns the median time, in ns, of a call of each side.
func inTurns(t *testing.T, sides ...func() error) (medians [2]int64) {
	var took [2][]int64
	for range calls {
		for i, call := range sides {
			start := time.Now()
			if err := call(); err != nil {
				t.Fatal(err)
			}
			took[i] = append(took[i], time.Since(start).Nanoseconds())
		}
	}
	for i := range took {
		slices.Sort(took[i])
		medians[i] = took[i][calls/2]
	}
	return medians
}

func resilient(t *testing.T, url string, observer client.Observer) func() error {
	cfg := client.Defaults()
	if observer != nil {
		cfg.Observer = observer
	}
	c := client.New(cfg)
	t.Cleanup(c.CloseIdle)
	req := client.Request{Dependency: "payment", Method: http.MethodPost, URL: url, Key: "k", CorrelationID: "c", Body: []byte(body)}
	return func() error { _, err := c.Do(t.Context(), req); return err }
}

// observed measures what a service would run: a batch processor and a log in
// JSON, whose output goes nowhere.
func observed(t *testing.T) client.Observer {
	spans := trace.NewTracerProvider(trace.WithBatcher(tracetest.NewNoopExporter()))
	t.Cleanup(func() { _ = spans.Shutdown(context.Background()) })
	observer, err := telemetry.New(spans.Tracer("bench"),
		metric.NewMeterProvider(metric.WithReader(metric.NewManualReader())).Meter("bench"),
		slog.New(slog.NewJSONHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return observer
}

func bare(t *testing.T, url string) func() error {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return func() error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return err
		}
		label(r.Header)
		return read(c.Do(r))
	}
}

func retryable(t *testing.T, url string) func() error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.HTTPClient.Timeout = client.Defaults().Policy.Total // it has none by itself, and ours cannot be without
	t.Cleanup(c.HTTPClient.CloseIdleConnections)
	raw := []byte(body)
	return func() error {
		r, err := retryablehttp.NewRequestWithContext(t.Context(), http.MethodPost, url, raw)
		if err != nil {
			return err
		}
		label(r.Header)
		return read(c.Do(r))
	}
}

// label sets the header lines that our client sets.
func label(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set(client.KeyHeader, "k")
	h.Set(client.CorrelationHeader, "c")
}

// read takes an answer as our client does.
func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}
