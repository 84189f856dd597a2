package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/gateway"
	"github.com/oncecheck/oncecheck/reference/telemetry"
)

const secret = "0123456789abcdef0123456789abcdef"

// patience bounds every wait of a spec; none of them is expected to take long.
const patience = "20s"

// world is a gateway with a dependency that follows a script, a store and a
// clock.
type world struct {
	script  *script
	store   *memory
	gateway *gateway.Gateway
	url     string
	tokens  *auth.Tokens
	flag    *gateway.Flag
	log     *lockedBuffer
	metrics *sdkmetric.ManualReader
	ahead   atomic.Int64 // how far the gateway's clock is ahead, in nanoseconds
}

// newWorld makes a world with short waits, in which a dependency that says nothing
// takes a second, changed by change. What answers has the time that a busy machine
// takes.
func newWorld(change ...func(*gateway.Config)) *world {
	GinkgoHelper()
	w := &world{script: &script{}, store: &memory{entries: map[gateway.Resource]gateway.Entry{}}, log: &lockedBuffer{}, metrics: sdkmetric.NewManualReader()}
	now := func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }
	var err error
	w.tokens, err = auth.New(secret, now)
	Expect(err).NotTo(HaveOccurred())
	dependency := httptest.NewServer(w.script)
	DeferCleanup(dependency.Close)

	cfg := gateway.Defaults(w.store, dependency.URL, w.tokens)
	p := &cfg.Client.Policy
	p.Base, p.Cap, p.Read, p.Total = p.Base/20, p.Cap/20, 500*time.Millisecond, time.Second
	cfg.Now = now
	cfg.Log = slog.New(slog.NewJSONHandler(w.log, nil))
	meter := sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.metrics)).Meter("test")
	cfg.Meter = meter
	cfg.Client.Observer, err = telemetry.New(noop.NewTracerProvider().Tracer(""), meter, cfg.Log)
	Expect(err).NotTo(HaveOccurred())
	for _, f := range change {
		f(&cfg)
	}
	w.flag = cfg.Resilience
	w.gateway, err = gateway.New(cfg)
	Expect(err).NotTo(HaveOccurred())
	server := httptest.NewServer(w.gateway)
	w.url = server.URL
	DeferCleanup(func() { w.gateway.Stop(); server.Close() })
	DeferCleanup(w.script.release) // before the servers wait for it
	return w
}

// pass lets time go by for the gateway.
func (w *world) pass(d time.Duration) { w.ahead.Add(int64(d)) }

var (
	alice = auth.Principal{Tenant: "t1", Subject: "alice"}
	bob   = auth.Principal{Tenant: "t1", Subject: "bob"}
	carol = auth.Principal{Tenant: "t2", Subject: "alice"}
)

// answer is what a caller got.
type answer struct {
	status int
	header http.Header
	body   string
	object map[string]any // the body, if it is JSON
}

// ask is one request of alice, unless it says otherwise.
type ask struct {
	as           *auth.Principal
	token        string
	method, path string
	keys         []string
	body         string
	header       map[string]string
}

func (w *world) token(p auth.Principal, life time.Duration) string {
	GinkgoHelper()
	token, err := w.tokens.Mint(p, time.Now().Add(time.Duration(w.ahead.Load())).Add(life))
	Expect(err).NotTo(HaveOccurred())
	return "Bearer " + token
}

func (w *world) do(a ask) answer {
	GinkgoHelper()
	if a.method == "" {
		a.method = http.MethodGet
	}
	if a.path == "" {
		a.path = "/catalog/sku-1"
	}
	r, err := http.NewRequest(a.method, w.url+a.path, io.NopCloser(strings.NewReader(a.body)))
	Expect(err).NotTo(HaveOccurred())
	if a.token == "" {
		if a.as == nil {
			a.as = &alice
		}
		a.token = w.token(*a.as, time.Hour)
	}
	r.Header.Set("Authorization", a.token)
	for _, key := range a.keys {
		r.Header.Add("Idempotency-Key", key)
	}
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(r)
	Expect(err).NotTo(HaveOccurred())
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	got := answer{status: resp.StatusCode, header: resp.Header, body: string(body)}
	_ = json.Unmarshal(body, &got.object) // not every body is JSON
	return got
}

func (w *world) get(path string) answer {
	GinkgoHelper()
	return w.do(ask{path: path})
}

// hold makes the write.
func (w *world) hold(keys ...string) answer {
	GinkgoHelper()
	return w.do(ask{method: "POST", path: "/catalog/sku-1/holds", keys: keys, body: `{"quantity":1}`})
}

// expectTyped expects a failure in our form.
func expectTyped(a answer, status int, code string, retryable bool) {
	GinkgoHelper()
	Expect(a.status).To(Equal(status), a.body)
	Expect(a.header.Get("Content-Type")).To(Equal("application/json"))
	Expect(a.header).NotTo(HaveKey("X-Result-Source"))
	Expect(a.object).To(HaveLen(4))
	Expect(a.object["code"]).To(Equal(code))
	Expect(a.object["message"]).To(BeAssignableToTypeOf(""))
	Expect(a.object["correlationId"]).To(Equal(a.header.Get("X-Correlation-ID")))
	Expect(a.object["retryable"]).To(Equal(retryable))
}

// counted returns the sum of a counter or gauge over the series that carry the
// label.
func (w *world) counted(name string, label ...string) (sum int64) {
	GinkgoHelper()
	var all metricdata.ResourceMetrics
	Expect(w.metrics.Collect(context.Background(), &all)).To(Succeed())
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			var points []metricdata.DataPoint[int64]
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				points = data.DataPoints
			case metricdata.Gauge[int64]:
				points = data.DataPoints
			}
			for _, p := range points {
				value, _ := p.Attributes.Value("source")
				if len(label) == 0 || value.AsString() == label[0] {
					sum += p.Value
				}
			}
		}
	}
	return sum
}

// memory is a store that can be out of reach.
type memory struct {
	mu      sync.Mutex
	entries map[gateway.Resource]gateway.Entry
	cut     bool
	stalled chan struct{} // nil: it answers
}

var errDown = errors.New("the store is out of reach")

// reach waits for the store as a driver would that does not listen to its context.
func (m *memory) reach() error {
	m.mu.Lock()
	stalled, cut := m.stalled, m.cut
	m.mu.Unlock()
	if stalled != nil {
		<-stalled
	}
	if cut {
		return errDown
	}
	return nil
}

// stall makes the store hang until the spec ends.
func (m *memory) stall() {
	stalled := make(chan struct{})
	m.mu.Lock()
	m.stalled = stalled
	m.mu.Unlock()
	DeferCleanup(func() { close(stalled) })
}

func (m *memory) set(cut bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cut = cut
}

func (m *memory) Keep(_ context.Context, e gateway.Entry, oldest time.Time) error {
	if err := m.reach(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[e.Resource] = e
	return nil
}

func (m *memory) Find(_ context.Context, r gateway.Resource) (gateway.Entry, error) {
	if err := m.reach(); err != nil {
		return gateway.Entry{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[r]
	if !ok {
		return gateway.Entry{}, gateway.ErrNone
	}
	return e, nil
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
