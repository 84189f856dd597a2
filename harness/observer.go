package harness

import (
	"context"
	"time"
)

// Observer reads what a target tells of its own inside. What is nil is not
// offered.
type Observer struct {
	Metrics MetricReader
	Logs    LogReader
	Storage StorageReader
	Records RecordReader
	Outbox  Outbox
}

// MetricReader reads the target's metrics.
type MetricReader interface {
	Metrics(ctx context.Context) (Metrics, error)
}

// Metrics are what was measured up to a moment.
type Metrics struct {
	// Values are the measures that the suite knows, by its names for them; what the
	// target does not expose is not there. Counters are summed over all series.
	Values map[string]int64
	Text   string // as it was read
}

// The measures that the suite knows.
const (
	MetricServed   = "fallback.served"   // failed calls that were answered with a stored result
	MetricEligible = "fallback.eligible" // failed calls for which one was due
	MetricKeyed    = "requests.keyed"    // requests that brought an idempotency key
	MetricKeyless  = "requests.keyless"  // and those that did not
	MetricFeature  = "feature.enabled"   // a gauge: 1 while the feature is on, 0 while it is off
)

// FeatureMixed is the value of a feature's gauge if its series disagree.
const FeatureMixed = -1

// SeriesOf returns the name of how many series a counter has: the values that its
// labels took, multiplied.
func SeriesOf(metric string) string { return metric + ":series" }

// FeatureMetric returns the name of the gauge of one flag among several.
func FeatureMetric(flag string) string { return MetricFeature + ":" + flag }

// LogReader reads the target's log.
type LogReader interface {
	// End returns where the log ends now.
	End(ctx context.Context) (int64, error)
	// Read returns the records from that place to the end, and where that is.
	Read(ctx context.Context, since int64) ([]LogRecord, int64, error)
}

// LogRecord is one line of the target's log, with what of it is known to the
// suite. An empty field was not there.
type LogRecord struct {
	Line          string `json:"line"` // redacted, at most 64 KiB
	Dependency    string `json:"dependency,omitempty"`
	Attempt       int    `json:"attempt,omitempty"`
	Outcome       string `json:"outcome,omitempty"`
	CorrelationID string `json:"correlationId,omitempty"`
	RequestID     string `json:"requestId,omitempty"`
	// Of a change of state only.
	FromState string    `json:"fromState,omitempty"`
	ToState   string    `json:"toState,omitempty"`
	Time      time.Time `json:"time,omitzero"`
	// Of a span only.
	Span   string    `json:"span,omitempty"`
	Parent string    `json:"parent,omitempty"`
	Trace  string    `json:"trace,omitempty"`
	Start  time.Time `json:"start,omitzero"`
	End    time.Time `json:"end,omitzero"`
	Failed bool      `json:"failed,omitempty"`
}

// IsChange reports whether the record is a change of a request's state. The first
// comes from no state.
func (r LogRecord) IsChange() bool { return r.ToState != "" && !r.IsSpan() }

// IsSpan reports whether the record is a span of a trace.
func (r LogRecord) IsSpan() bool { return r.Span != "" && !r.End.IsZero() }

// The marks of what was read from inside the target.
const (
	MarkMetrics = "metrics-read" // count holds the values, and lines; detail the lines that hold a secret of the run
	MarkLogs    = "logs-read"    // count.lines of it, count.kept; those kept are log events
)
