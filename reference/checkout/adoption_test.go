package checkout_test

import (
	"context"
	"net/http"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

var _ = Describe("a key that is not required", func() {
	var strict atomic.Bool
	lenient := func(c *checkout.Config) { c.KeyRequired = strict.Load }

	It("may be missing: each such request is a checkout of its own, and a key protects as ever", func() {
		strict.Store(false)
		w := newWorld(lenient)
		first, second := w.do(send{}), w.do(send{})
		Expect([]int{first.status, second.status}).To(HaveEach(http.StatusCreated))
		Expect(first.text("orderId")).NotTo(Equal(second.text("orderId")))
		Expect(w.buy("k").raw).To(Equal(w.buy("k").raw))
		Expect(w.do(send{keys: []string{""}}).status).To(Equal(http.StatusBadRequest), "an empty key is none that is missing")
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 3))

		strict.Store(true)
		Expect(w.do(send{}).status).To(Equal(http.StatusBadRequest))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 3))
	})

	It("is counted where it is there and where it is not, whatever becomes of the request", func() {
		strict.Store(false)
		reader := metric.NewManualReader()
		w := newWorld(lenient, func(c *checkout.Config) {
			c.Meter = metric.NewMeterProvider(metric.WithReader(reader)).Meter("test")
		})
		w.do(send{})
		w.do(send{as: &bob})
		w.buy("k")
		w.buy("k")
		w.do(send{keys: []string{"a", "b"}})
		strict.Store(true)
		w.do(send{})

		var data metricdata.ResourceMetrics
		Expect(reader.Collect(context.Background(), &data)).To(Succeed())
		sums := map[string]int64{}
		for _, m := range data.ScopeMetrics[0].Metrics {
			points := m.Data.(metricdata.Sum[int64]).DataPoints
			Expect(points).To(HaveLen(1), "a series for each customer or key would be too many")
			Expect(points[0].Attributes.Len()).To(BeZero())
			sums[m.Name] = points[0].Value
		}
		Expect(sums).To(Equal(map[string]int64{"requests.keyed": 3, "requests.keyless": 3}))
	})
})
