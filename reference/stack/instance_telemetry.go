package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/codes"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/telemetry"
)

// measured is what an instance measures and traces with.
type measured struct {
	metrics *sdkmetric.MeterProvider
	traces  *sdktrace.TracerProvider
	handler http.Handler // GET /metrics
}

// newMeasured makes the two providers. Spans go to log; the label instance tells
// the numbers of this process from those of others.
func newMeasured(log *slog.Logger, instance string) (*measured, error) {
	registry := prometheus.NewRegistry()
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"instance": instance}, registry)
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(labelled),
		otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo())
	if err != nil {
		return nil, fmt.Errorf("set up metrics: %w", err)
	}
	return &measured{
		metrics: sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter)),
		// One by one and at once: whoever got an answer finds the spans of its call.
		traces:  sdktrace.NewTracerProvider(sdktrace.WithSyncer(spanLog{log})),
		handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}, nil
}

// observer returns what watches the calls of dependencies.
func (m *measured) observer(log *slog.Logger) (client.Observer, error) {
	return telemetry.New(m.traces.Tracer("client"), m.metrics.Meter("client"), log)
}

func (m *measured) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return errors.Join(m.metrics.Shutdown(ctx), m.traces.Shutdown(ctx))
}

// spanLog writes each span as one record of the log, so that the redactor sees it
// and a reader needs one format.
type spanLog struct{ log *slog.Logger }

var _ sdktrace.SpanExporter = spanLog{}

// ExportSpans implements [sdktrace.SpanExporter].
func (s spanLog) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, span := range spans {
		record := []slog.Attr{
			slog.String("name", span.Name()),
			slog.String("traceId", span.SpanContext().TraceID().String()),
			slog.String("spanId", span.SpanContext().SpanID().String()),
			slog.String("kind", span.SpanKind().String()),
			slog.Time("start", span.StartTime()),
			slog.Time("end", span.EndTime()),
			slog.Bool("failed", span.Status().Code == codes.Error),
		}
		if span.Parent().IsValid() {
			record = append(record, slog.String("parentSpanId", span.Parent().SpanID().String()))
		}
		var attributes []any
		for _, a := range span.Attributes() {
			attributes = append(attributes, slog.Any(string(a.Key), a.Value.AsInterface()))
		}
		record = append(record, slog.Group("attributes", attributes...))
		s.log.LogAttrs(ctx, slog.LevelInfo, "span", record...)
	}
	return nil
}

// Shutdown implements [sdktrace.SpanExporter].
func (spanLog) Shutdown(context.Context) error { return nil }
