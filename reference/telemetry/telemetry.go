package telemetry

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/oncecheck/oncecheck/reference/client"
)

// Telemetry is a [client.Observer].
type Telemetry struct {
	tracer trace.Tracer
	log    *slog.Logger
	instruments
}

// New returns an observer that reports to these three. It fails only if the meter
// refuses an instrument.
func New(tracer trace.Tracer, meter metric.Meter, log *slog.Logger) (*Telemetry, error) {
	made, err := measure(meter)
	if err != nil {
		return nil, err
	}
	return &Telemetry{tracer: tracer, log: log, instruments: made}, nil
}

// Call implements [client.Observer].
func (t *Telemetry) Call(ctx context.Context, c client.Call) (context.Context, func(client.Outcome)) {
	start := time.Now()
	ctx, span := t.tracer.Start(ctx, c.Method+" "+c.Dependency)
	return ctx, func(o client.Outcome) {
		t.duration.Record(ctx, time.Since(start).Seconds(), t.labelled(c.Dependency, o.Code))
		finish(span, c, o.Code, o.Code == client.CodeAnswered, attribute.Int("attempts", o.Attempts))
	}
}

// Attempt implements [client.Observer].
func (t *Telemetry) Attempt(ctx context.Context, c client.Call, _ client.Attempt) (context.Context, func(client.Attempt)) {
	ctx, span := t.tracer.Start(ctx, "attempt", trace.WithSpanKind(trace.SpanKindClient))
	return ctx, func(a client.Attempt) {
		outcome, level := string(a.Class), slog.LevelInfo
		if a.Class != client.Answered {
			level = slog.LevelWarn
		}
		t.attempts.Add(ctx, 1, t.labelled(c.Dependency, outcome))
		t.log.LogAttrs(ctx, level, "attempt",
			slog.String("dependency", c.Dependency), slog.String("method", c.Method), slog.Int("attempt", a.Number),
			slog.String("outcome", outcome), slog.Int("status", a.Status), slog.Bool("unknown", a.Unknown),
			slog.Int64("durationMs", a.End.Sub(a.Start).Milliseconds()), slog.String("correlationId", c.CorrelationID))
		finish(span, c, outcome, a.Class == client.Answered, attribute.Int("attempt", a.Number),
			attribute.Int("http.response.status_code", a.Status)) // 0: there was none
	}
}

// finish ends a span. Its attributes are set at once and last: to grow them
// twice costs more than the rest, and a span that is not sampled needs none. The
// outcome is all that is said about an error, for its text may name addresses.
func finish(span trace.Span, c client.Call, outcome string, answered bool, more ...attribute.KeyValue) {
	if span.IsRecording() {
		span.SetAttributes(append([]attribute.KeyValue{attribute.String("dependency", c.Dependency),
			attribute.String("correlationId", c.CorrelationID), attribute.String("outcome", outcome)}, more...)...)
		if !answered {
			span.SetStatus(codes.Error, outcome)
		}
	}
	span.End()
}
