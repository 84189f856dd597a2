package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/oncecheck/oncecheck/harness"
)

// Metrics reads an endpoint in the text form of Prometheus.
type Metrics struct {
	http  *http.Client
	url   string
	names map[string]string // the target's name of each measure that it names itself
}

var _ harness.MetricReader = (*Metrics)(nil)

// NewMetrics returns a reader of the endpoint. Names are what the target calls
// the measures of [harness.Metrics], where that is not our name for them.
func NewMetrics(client *http.Client, url string, names map[string]string) *Metrics {
	return &Metrics{http: client, url: url, names: names}
}

const (
	readLimit = 5 * time.Second
	maxText   = 16 << 20
)

// Metrics implements [harness.MetricReader].
func (m *Metrics) Metrics(ctx context.Context) (harness.Metrics, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readLimit, fmt.Errorf("no answer within %s", readLimit))
	defer cancel()
	text, err := m.read(ctx)
	if err != nil {
		return harness.Metrics{}, fmt.Errorf("GET %s: %w; correct observe.metrics", m.url, err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return harness.Metrics{}, fmt.Errorf("GET %s: its answer is not in the text form of Prometheus: %w; correct observe.metrics", m.url, err)
	}
	return harness.Metrics{Values: m.values(families), Text: string(text)}, nil
}

func (m *Metrics) read(ctx context.Context) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/plain;version=0.0.4")
	response, err := m.http.Do(r)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("its answer is larger than %d MiB", maxText>>20)
	}
	return text, err
}

// values returns the measures that are known.
func (m *Metrics) values(families map[string]*dto.MetricFamily) map[string]int64 {
	values := map[string]int64{}
	for _, known := range []string{harness.MetricServed, harness.MetricEligible, harness.MetricKeyed, harness.MetricKeyless} {
		for name, family := range families {
			if !m.means(name, known) {
				continue
			}
			for _, series := range family.Metric {
				values[known] += int64(math.Round(valueOf(series)))
			}
			values[harness.SeriesOf(known)] += int64(len(family.Metric))
		}
	}
	for name, family := range families {
		if !m.means(name, harness.MetricFeature) {
			continue
		}
		for _, series := range family.Metric {
			gauge(values, harness.MetricFeature, valueOf(series))
			for _, label := range series.Label {
				gauge(values, harness.FeatureMetric(label.GetValue()), valueOf(series))
			}
		}
	}
	return values
}

// gauge notes one series of a gauge of which all have to agree.
func gauge(values map[string]int64, name string, v float64) {
	now := int64(math.Round(v))
	if before, seen := values[name]; seen && before != now {
		now = harness.FeatureMixed
	}
	values[name] = now
}

func (m *Metrics) means(name, known string) bool {
	if own := m.names[known]; own != "" {
		known = own
	}
	return plain(name) == plain(known)
}

func valueOf(series *dto.Metric) float64 {
	switch {
	case series.Counter != nil:
		return series.Counter.GetValue()
	case series.Gauge != nil:
		return series.Gauge.GetValue()
	}
	return series.Untyped.GetValue()
}

// plain makes names alike that differ in spelling only.
func plain(name string) string {
	letters := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, name)
	return strings.TrimSuffix(letters, "total")
}
