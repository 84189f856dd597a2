package gateway_test

import (
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An operation that the dependency answers", func() {
	It("passes the answer on as it is", func() {
		w := newWorld()
		w.script.then(says(200, "\x00\xff not JSON", "Content-Type", "application/octet-stream", "X-Own", "a", "X-Own", "b",
			"ETag", `"v1"`, "Connection", "X-Hop", "X-Hop", "1", "X-Result-Source", "fallback", "X-Correlation-ID", "theirs"))
		got := w.do(ask{path: "/catalog/a%20b%2B?q=%2f&q=2", header: map[string]string{"X-Correlation-ID": "ours"}})
		Expect(got.status).To(Equal(200))
		Expect(got.body).To(Equal("\x00\xff not JSON"))
		Expect(got.header["X-Own"]).To(Equal([]string{"a", "b"}))
		Expect(got.header.Get("Content-Type")).To(Equal("application/octet-stream"))
		Expect(got.header.Get("ETag")).To(Equal(`"v1"`))
		Expect(got.header).NotTo(HaveKey("X-Hop"))
		Expect(got.header).NotTo(HaveKey("X-Result-Source"))
		Expect(got.header["X-Correlation-Id"]).To(Equal([]string{"ours"}))

		Expect(w.script.requests()).To(HaveLen(1))
		sent := w.script.requests()[0]
		Expect(sent.method + " " + sent.target).To(Equal("GET /items/a%20b%2B?q=%2f&q=2"))
		Expect(sent.header.Get("X-Correlation-ID")).To(Equal("ours"))
		Expect(sent.header).NotTo(HaveKey("Authorization"))
	})

	DescribeTable("hides no definitive answer, stored result or not", func(status int) {
		w := newWorld()
		w.script.then(says(200, `{"seed":true}`), says(status, "the reason", "X-Own", "1", "Retry-After", "7"))
		w.get("/catalog/sku-1")
		got := w.get("/catalog/sku-1")
		Expect(got.status).To(Equal(status))
		Expect(got.body).To(Equal("the reason"))
		Expect(got.header.Get("X-Own")).To(Equal("1"))
		Expect(got.header).NotTo(HaveKey("X-Result-Source"))
		Expect(w.script.requests()).To(HaveLen(2))
	}, Entry(nil, 400), Entry(nil, 401), Entry(nil, 403), Entry(nil, 404), Entry(nil, 405), Entry(nil, 408), Entry(nil, 409),
		Entry(nil, 410), Entry(nil, 412), Entry(nil, 415), Entry(nil, 422), Entry(nil, 425), Entry(nil, 302))

	It("passes a write on with its key, type and bytes", func() {
		w := newWorld()
		w.script.then(says(503, ""), says(201, `{"id":"h"}`, "Location", "/holds/h"))
		got := w.do(ask{method: "POST", path: "/catalog/sku-1/holds", keys: []string{"k 1"}, body: "a,b\r\n", header: map[string]string{"Content-Type": "text/csv"}})
		Expect(got.status).To(Equal(201))
		Expect(got.header.Get("Location")).To(Equal("/holds/h"))
		Expect(w.script.requests()).To(HaveLen(2))
		for _, sent := range w.script.requests() {
			Expect(sent.method + " " + sent.target + " " + sent.body).To(Equal("POST /items/sku-1/holds a,b\r\n"))
			Expect(sent.header["Idempotency-Key"]).To(Equal([]string{"k 1"}))
			Expect(sent.header.Get("Content-Type")).To(Equal("text/csv"))
			Expect(sent.header["X-Correlation-Id"]).To(Equal([]string{got.header.Get("X-Correlation-ID")}))
		}
	})

	DescribeTable("replaces a correlation id that is not fit to be passed on", func(id string) {
		w := newWorld()
		w.script.then(says(503, ""))
		got := w.do(ask{header: map[string]string{"X-Correlation-ID": id}})
		expectTyped(got, 503, "DEPENDENCY_UNAVAILABLE", true)
		made := got.header.Get("X-Correlation-ID")
		Expect(made).NotTo(BeEmpty())
		Expect(made).NotTo(Equal(id))
		for _, sent := range w.script.requests() {
			Expect(sent.header["X-Correlation-Id"]).To(Equal([]string{made}))
		}
	}, Entry("none", ""), Entry("long", strings.Repeat("a", 8<<10)), Entry("not ASCII", "caf\xc3\xa9"), Entry("markup", "<script>"))
})

var _ = Describe("An operation that is refused", func() {
	It("asks nobody who the caller has not proven to be", func() {
		w := newWorld()
		w.script.then(says(200, "stored"))
		w.get("/catalog/sku-1")
		w.script.forget()
		w.script.then(says(503, ""))
		expired := w.token(alice, -time.Second)
		for _, token := range []string{"x", "Bearer a.b.c", expired, "Basic YTpi"} {
			expectTyped(w.do(ask{token: token}), 401, "UNAUTHENTICATED", false)
		}
		Expect(w.script.requests()).To(BeEmpty())
	})

	It("says what is wrong", func() {
		w := newWorld()
		w.script.then(says(200, ""))
		for _, path := range []string{"/catalog/", "/catalog/..", "/catalog/%2e%2e", "/catalog/a/b", "/catalog/a%2Fb"} {
			expectTyped(w.get(path), 404, "NOT_FOUND", false)
		}
		expectTyped(w.do(ask{method: "PUT"}), 404, "NOT_FOUND", false)
		expectTyped(w.do(ask{method: "POST"}), 404, "NOT_FOUND", false)
		expectTyped(w.hold("a", "b"), 400, "VALIDATION_ERROR", false)
		expectTyped(w.hold(strings.Repeat("k", 129)), 400, "VALIDATION_ERROR", false)
		expectTyped(w.do(ask{method: "POST", path: "/catalog/a/holds", body: strings.Repeat("x", 1<<20+1)}), 400, "VALIDATION_ERROR", false)
		Expect(w.script.requests()).To(BeEmpty())
	})

	It("survives a panic and says that nobody knows", func() {
		w := newWorld()
		w.script.then(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) })
		w.gateway.Pass = nil
		expectTyped(w.get("/catalog/sku-1"), 503, "DEPENDENCY_UNAVAILABLE", false)
		Expect(w.log.String()).To(ContainSubstring(`"msg":"panic"`))
	})
})
