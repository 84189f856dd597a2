package telemetry

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func metricsOf(t *testing.T, status int, text string, names map[string]string) (harness.Metrics, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	defer s.Close()
	return NewMetrics(s.Client(), s.URL, names).Metrics(t.Context())
}

func TestMetrics(t *testing.T) {
	const two = `# TYPE fallback_served_total counter
fallback_served_total{instance="0",dependency="catalog"} 3
fallback_served_total{instance="1",dependency="catalog"} 4
# TYPE feature_enabled gauge
feature_enabled{instance="0",flag="resilience"} 1
feature_enabled{instance="0",flag="beta"} 0
# TYPE http_seconds histogram
http_seconds_bucket{le="+Inf"} 2
http_seconds_sum 1
http_seconds_count 2
`
	for name, tc := range map[string]struct {
		text  string
		names map[string]string
		want  map[string]int64
	}{
		"two instances": {two, nil, map[string]int64{harness.MetricServed: 7, harness.SeriesOf(harness.MetricServed): 2, harness.MetricFeature: harness.FeatureMixed, harness.FeatureMetric("resilience"): 1,
			harness.FeatureMetric("beta"): 0, harness.FeatureMetric("0"): harness.FeatureMixed}},
		"a name of the target's own": {"# TYPE app_stale_answers counter\napp_stale_answers 5\n", map[string]string{harness.MetricServed: "app_stale_answers"}, map[string]int64{harness.MetricServed: 5, harness.SeriesOf(harness.MetricServed): 1}},
		"another spelling":           {"# TYPE fallbackEligible counter\nfallbackEligible 2\n", nil, map[string]int64{harness.MetricEligible: 2, harness.SeriesOf(harness.MetricEligible): 1}},
		"without a type":             {"fallback_served 6\n", nil, map[string]int64{harness.MetricServed: 6, harness.SeriesOf(harness.MetricServed): 1}},
		"instances that disagree": {"# TYPE feature_enabled gauge\nfeature_enabled{flag=\"resilience\",i=\"a\"} 1\nfeature_enabled{flag=\"resilience\",i=\"b\"} 0\n", nil,
			map[string]int64{harness.MetricFeature: harness.FeatureMixed, harness.FeatureMetric("resilience"): harness.FeatureMixed, harness.FeatureMetric("a"): 1, harness.FeatureMetric("b"): 0}},
		"none that is known": {"other 1\n", nil, map[string]int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := metricsOf(t, http.StatusOK, tc.text, tc.names)
			if err != nil || !maps.Equal(got.Values, tc.want) || got.Text != tc.text {
				t.Errorf("%v, %v, want %v", got.Values, err, tc.want)
			}
		})
	}
}

func TestMetricsThatCannotBeRead(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		text   string
		want   string
	}{
		"a refusal":   {http.StatusNotFound, "", "status 404"},
		"other text":  {http.StatusOK, "<html>", "not in the text form of Prometheus"},
		"half a line": {http.StatusOK, "fallback_served{", "not in the text form of Prometheus"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := metricsOf(t, tc.status, tc.text, nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "observe.metrics") {
				t.Errorf("%v, want %s and the key to correct", err, tc.want)
			}
		})
	}
}
