package gateway_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// failures are the classes of failures, and what each is without a fallback.
func failures(w *world) map[string]struct {
	step http.HandlerFunc
	code string
} {
	return map[string]struct {
		step http.HandlerFunc
		code string
	}{
		"silent":      {w.script.silent(), "DEPENDENCY_TIMEOUT"},
		"unavailable": {says(503, "secret reason"), "DEPENDENCY_UNAVAILABLE"},
		"reset":       {resets, "DEPENDENCY_UNAVAILABLE"},
		"throttled":   {says(429, "", "Retry-After", "60"), "DEPENDENCY_UNAVAILABLE"},
	}
}

var _ = Describe("An operation whose dependency fails", func() {
	for _, name := range []string{"silent", "unavailable", "reset", "throttled"} {
		It("falls back to what is stored: "+name, func() {
			w := newWorld()
			w.script.then(says(203, `{"price":1}`, "Content-Type", "application/vnd.price", "Set-Cookie", "a=b", "Date", "Sun, 08 Nov 2015 08:49:37 GMT"))
			Expect(w.get("/catalog/sku-1").status).To(Equal(203))
			w.pass(90 * time.Second)
			w.script.forget()
			w.script.then(failures(w)[name].step)
			got := w.do(ask{header: map[string]string{"X-Correlation-ID": "now"}})
			Expect(got.status).To(Equal(203))
			Expect(got.body).To(Equal(`{"price":1}`))
			Expect(got.header.Get("Content-Type")).To(Equal("application/vnd.price"))
			Expect(got.header["X-Result-Source"]).To(Equal([]string{"fallback"}))
			Expect(got.header.Get("X-Correlation-ID")).To(Equal("now"))
			Expect(got.header).NotTo(HaveKey("Set-Cookie"))
			Expect(strconv.Atoi(got.header.Get("Age"))).To(BeNumerically("~", 91, 20))
			Expect(w.script.requests()).NotTo(BeEmpty())
			Expect(w.counted("fallback.served")).To(Equal(int64(1)))
			Expect(w.counted("fallback.eligible")).To(Equal(int64(1)))
			Expect(w.counted("gateway.answers", "fallback")).To(Equal(int64(1)))
		})

		It("says so where nothing is stored: "+name, func() {
			w := newWorld()
			f := failures(w)[name]
			w.script.then(f.step)
			status := map[string]int{"DEPENDENCY_TIMEOUT": 504, "DEPENDENCY_UNAVAILABLE": 503}[f.code]
			got := w.get("/catalog/sku-1")
			expectTyped(got, status, f.code, true)
			Expect(got.body).NotTo(ContainSubstring("secret"))
			expectTyped(w.hold("k"), status, f.code, true)
			w.script.forget()
			expectTyped(w.hold(), status, f.code, false)
			Expect(w.script.requests()).To(HaveLen(1), "a write without a key is sent once")
			Expect(w.counted("fallback.eligible")).To(BeZero())
		})
	}

	It("serves a result to whom it was given and for what, and to nobody else", func() {
		w := newWorld()
		w.script.then(says(200, "of alice"))
		w.get("/catalog/sku-1?lang=de")
		w.hold("k")
		w.hold() // a second one would be another
		w.script.then(says(503, ""))
		for name, a := range map[string]ask{
			"another customer": {as: &bob, path: "/catalog/sku-1?lang=de"},
			"another tenant":   {as: &carol, path: "/catalog/sku-1?lang=de"},
			"another item":     {path: "/catalog/sku-2?lang=de"},
			"another query":    {path: "/catalog/sku-1?lang=en"},
			"no query":         {path: "/catalog/sku-1"},
			"another key":      {method: "POST", path: "/catalog/sku-1/holds", keys: []string{"k2"}, body: `{"quantity":1}`},
			"another body":     {method: "POST", path: "/catalog/sku-1/holds", keys: []string{"k"}, body: `{"quantity":2}`},
			"no key":           {method: "POST", path: "/catalog/sku-1/holds", body: `{"quantity":1}`},
		} {
			By(name)
			got := w.do(a)
			Expect(got.status).To(Equal(503))
			Expect(got.body).NotTo(ContainSubstring("alice"))
		}
		Expect(w.get("/catalog/sku-1?lang=de").body).To(Equal("of alice"))
		held := w.hold("k")
		Expect(held.body).To(Equal("of alice"))
		Expect(held.header.Get("X-Result-Source")).To(Equal("fallback"))
	})

	It("serves nothing that is too old, or whose age nobody knows", func() {
		w := newWorld()
		w.script.then(says(200, "old"))
		w.get("/catalog/sku-1")
		w.script.then(says(503, ""))
		w.pass(14 * time.Minute)
		Expect(w.get("/catalog/sku-1").status).To(Equal(200))
		w.pass(2 * time.Minute)
		expectTyped(w.get("/catalog/sku-1"), 503, "DEPENDENCY_UNAVAILABLE", true)
		w.pass(-time.Hour)
		expectTyped(w.get("/catalog/sku-1"), 503, "DEPENDENCY_UNAVAILABLE", true)
		Expect(w.counted("fallback.eligible")).To(Equal(int64(1)))
	})

	DescribeTable("stores no answer that must not be served again", func(status int, headers ...string) {
		w := newWorld()
		w.script.then(says(status, "", headers...), says(503, ""))
		w.get("/catalog/sku-1")
		Expect(w.get("/catalog/sku-1").status).To(Equal(503))
	}, Entry("a refusal", 404), Entry("a redirect", 302), Entry("a part", 206), Entry("what forbids it", 200, "Cache-Control", "private, No-Store"))

	It("lets nobody see a result who lost the right to it during the call", func() {
		var revoked atomic.Bool
		w := newWorld(func(c *gateway.Config) {
			right := c.Authenticate
			c.Authenticate = func(r *http.Request) (auth.Principal, error) {
				if revoked.Load() {
					return auth.Principal{}, auth.ErrUnauthenticated
				}
				return right(r)
			}
		})
		w.script.then(says(200, "stored"))
		w.get("/catalog/sku-1")
		w.script.then(func(rw http.ResponseWriter, r *http.Request) {
			revoked.Store(true) // the gateway asks again once this answer is there
			says(429, "", "Retry-After", "60")(rw, r)
		})
		got := w.get("/catalog/sku-1")
		expectTyped(got, 401, "UNAUTHENTICATED", false)
		Expect(got.body).NotTo(ContainSubstring("stored"))
	})

	It("does not wait for a store that hangs", func() {
		w := newWorld()
		w.script.then(says(200, "stored"))
		w.get("/catalog/sku-1")
		w.store.stall()
		w.script.then(w.script.silent())
		expectTyped(w.get("/catalog/sku-1"), 504, "DEPENDENCY_TIMEOUT", true)
		w.script.then(says(200, "fresh"))
		Expect(w.get("/catalog/sku-1").body).To(Equal("fresh"))
		Expect(w.counted("fallback.eligible")).To(Equal(int64(1)), "nobody could say whether a result was due")
		Expect(w.counted("fallback.served")).To(BeZero())
	})

	It("counts a fallback that was due and could not be had", func() {
		w := newWorld()
		w.script.then(says(200, "stored"))
		w.get("/catalog/sku-1")
		w.script.then(says(429, "", "Retry-After", "60"))
		for range 3 {
			w.get("/catalog/sku-1")
		}
		w.store.set(true)
		expectTyped(w.get("/catalog/sku-1"), 503, "DEPENDENCY_UNAVAILABLE", true)
		Expect(w.counted("fallback.eligible")).To(Equal(int64(4)))
		Expect(w.counted("fallback.served")).To(Equal(int64(3)))
	})

	It("makes one attempt and does not fall back while the flag is off", func() {
		w := newWorld()
		w.script.then(says(200, "stored"))
		w.get("/catalog/sku-1")
		w.flag.Set(false)
		Expect(w.counted("feature.enabled")).To(BeZero())
		w.script.forget()
		w.script.then(says(503, ""))
		expectTyped(w.get("/catalog/sku-1"), 503, "DEPENDENCY_UNAVAILABLE", true)
		Expect(w.script.requests()).To(HaveLen(1))
		w.script.then(w.script.silent())
		expectTyped(w.get("/catalog/sku-1"), 504, "DEPENDENCY_TIMEOUT", true)

		w.flag.Set(true)
		Expect(w.counted("feature.enabled")).To(Equal(int64(1)))
		w.script.forget()
		w.script.then(says(503, ""))
		Expect(w.get("/catalog/sku-1").body).To(Equal("stored"))
		Expect(w.script.requests()).To(HaveLen(3))
	})

	It("stops when its caller leaves, and takes that for no failure", func() {
		w := newWorld(func(c *gateway.Config) { c.Client.Policy.Read, c.Client.Policy.Total = time.Minute, time.Minute })
		w.script.then(says(200, "stored"))
		w.get("/catalog/sku-1")
		w.script.forget()
		arrived, left := make(chan struct{}), make(chan struct{})
		w.script.then(func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
			close(left)
		})
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/catalog/sku-1", nil)
		Expect(err).NotTo(HaveOccurred())
		r.Header.Set("Authorization", w.token(alice, time.Hour))
		go func() {
			<-arrived
			leave()
		}()
		_, err = (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		Expect(err).To(MatchError(context.Canceled))
		Eventually(left, patience).Should(BeClosed())
		Eventually(func() int64 { return w.counted("gateway.answers", "cancelled") }, patience).Should(Equal(int64(1)))
		Expect(w.script.requests()).To(HaveLen(1))
		Expect(w.counted("fallback.eligible")).To(BeZero())
	})

	It("writes down each attempt, and nothing that was sent", func() {
		w := newWorld()
		w.script.then(says(503, "canary-answer"))
		got := w.do(ask{method: "POST", path: "/catalog/canary-item/holds?q=canary-query", keys: []string{"canary-key"}, body: "canary-body",
			header: map[string]string{"X-Correlation-ID": "corr-1", "Content-Type": "text/canary-type"}})
		log := w.log.String()
		Expect(strings.Count(log, `"msg":"attempt"`)).To(Equal(3))
		for _, part := range []string{`"dependency":"catalog"`, `"attempt":3`, `"outcome":"server-error"`, `"correlationId":"corr-1"`} {
			Expect(log).To(ContainSubstring(part))
		}
		Expect(log + got.body).NotTo(ContainSubstring("canary"))
		Expect(log).NotTo(ContainSubstring("eyJ"))
	})
})
