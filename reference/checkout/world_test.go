package checkout_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
)

const secret = "0123456789abcdef0123456789abcdef"

// patience bounds every wait of a spec; none of them is expected to take long.
const patience = "15s"

// world is a checkout with its store, its dependencies and a clock.
type world struct {
	net      *network
	provider *provider.Provider
	store    *brittle
	cfg      checkout.Config
	service  *checkout.Service
	url      string
	tokens   *auth.Tokens
	log      *lockedBuffer
	ahead    atomic.Int64 // how far the service's clock is ahead, in nanoseconds
	lenient  atomic.Bool  // requests without a key are taken
	metrics  *metric.ManualReader
	changed  bool // it may answer what the description does not know
}

// newWorld makes a world whose service has been changed by change.
func newWorld(change ...func(*checkout.Config)) *world {
	GinkgoHelper()
	w := &world{
		net:      &network{queue: map[string][]fault{}, always: map[string]fault{}},
		provider: provider.New(),
		log:      &lockedBuffer{},
		metrics:  metric.NewManualReader(),
	}
	db, err := store.Open(context.Background(), filepath.Join(GinkgoT().TempDir(), "checkout.db"))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(db.Close)
	w.store = &brittle{Store: db}
	w.tokens, err = auth.New(secret, time.Now)
	Expect(err).NotTo(HaveOccurred())

	urls := map[string]string{}
	for name, h := range map[string]http.Handler{
		checkout.Payment: w.provider.Payment(), checkout.Inventory: w.provider.Inventory(), checkout.Orders: w.provider.Orders(), checkout.Bank: w.provider.Bank(),
	} {
		server := httptest.NewServer(w.net.handler(h))
		DeferCleanup(server.Close)
		urls[name] = server.URL
	}
	w.cfg = checkout.Defaults(w.store, checkout.NewDirectory(urls), w.tokens)
	w.cfg.Client.Policy.Base, w.cfg.Client.Policy.Cap = time.Millisecond, 4*time.Millisecond
	w.cfg.Policy.Reconcile, w.cfg.Policy.ReconcileLimit = 5*time.Millisecond, 20*time.Millisecond
	w.cfg.Now = func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }
	w.cfg.Receipt = func(r checkout.Record) string { return checkout.Receipt(r) + strings.Repeat(".", 2<<20) } // long ones are kept, too
	w.cfg.Log = slog.New(slog.NewJSONHandler(w.log, nil))
	w.cfg.KeyRequired = func() bool { return !w.lenient.Load() }
	w.cfg.Meter = metric.NewMeterProvider(metric.WithReader(w.metrics)).Meter("test")
	for _, f := range change {
		f(&w.cfg)
	}
	w.changed = len(change) > 0
	w.service, w.url = w.instance()
	return w
}

// instance starts another service on the same store.
func (w *world) instance() (*checkout.Service, string) {
	GinkgoHelper()
	service, err := checkout.New(w.cfg)
	Expect(err).NotTo(HaveOccurred())
	server := httptest.NewServer(service)
	DeferCleanup(func() { service.Stop(); server.Close() })
	return service, server.URL
}

// reconcile runs reconciliation until the spec ends.
func (w *world) reconcile() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); w.service.Run(ctx) }()
	DeferCleanup(func() { cancel(); <-done })
}

// pass lets time go by for the service, but not for its dependencies.
func (w *world) pass(d time.Duration) { w.ahead.Add(int64(d)) }

// hold keeps the next call of op until it is released, at the latest when the
// spec ends.
func (w *world) hold(op string, of func(*hold) fault) *hold {
	h := newHold()
	w.net.next(op, of(h))
	DeferCleanup(h.release)
	return h
}

func before(h *hold) fault { return h.before }
func after(h *hold) fault  { return h.after }

var (
	alice   = auth.Principal{Tenant: "t1", Subject: "alice"}
	bob     = auth.Principal{Tenant: "t1", Subject: "bob"}
	carol   = auth.Principal{Tenant: "t2", Subject: "alice"}
	support = auth.Principal{Tenant: "t1", Subject: "sam", Roles: []string{auth.RoleSupport}}
)

// answer is what a caller got.
type answer struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

func (a answer) text(field string) string {
	s, _ := a.body[field].(string)
	return s
}

// send is one request. Its zero fields are filled in with a good checkout.
type send struct {
	as            *auth.Principal
	token         string
	method, path  string
	keys          []string
	body          string
	correlationID string
	header        http.Header
	url           string
	ctx           context.Context
}

const cartBody = `{"cartId":"cart-1","cartVersion":1,"currency":"EUR","amount":4200,"paymentToken":"tok_ok"}`

func (w *world) try(s send) (answer, error) {
	if s.method == "" {
		s.method, s.path = http.MethodPost, "/checkout"
		if s.body == "" {
			s.body = cartBody
		}
	}
	if s.as == nil {
		s.as = &alice
	}
	if s.ctx == nil {
		s.ctx = context.Background()
	}
	if s.url == "" {
		s.url = w.url
	}
	r, err := http.NewRequestWithContext(s.ctx, s.method, s.url+s.path, io.NopCloser(strings.NewReader(s.body)))
	if err != nil {
		return answer{}, err
	}
	if s.token == "" {
		token, err := w.tokens.Mint(*s.as, time.Now().Add(time.Hour))
		if err != nil {
			return answer{}, err
		}
		s.token = "Bearer " + token
	}
	for name, values := range s.header {
		r.Header[name] = values
	}
	r.Header.Set("Authorization", s.token)
	for _, key := range s.keys {
		r.Header.Add("Idempotency-Key", key)
	}
	if s.correlationID != "" {
		r.Header.Set("X-Correlation-ID", s.correlationID)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if a.raw, err = io.ReadAll(resp.Body); err != nil {
		return answer{}, err
	}
	return a, json.Unmarshal(a.raw, &a.body)
}

// do sends s and expects an answer in our form.
func (w *world) do(s send) answer {
	GinkgoHelper()
	a, err := w.try(s)
	Expect(err).NotTo(HaveOccurred(), "%s", a.raw)
	Expect(a.header.Get("Cache-Control")).To(Equal("no-store"))
	if a.status >= 400 {
		Expect(a.body).To(HaveKey("code"))
		Expect(a.body).To(HaveKey("message"))
		Expect(a.body).To(HaveKey("correlationId"))
		Expect(a.body).To(HaveKey("retryable"))
	}
	if !w.changed {
		Expect(a).To(described(s))
	}
	return a
}

func (w *world) buy(key string) answer {
	GinkgoHelper()
	return w.do(send{keys: []string{key}})
}

// begin sends s without waiting for the answer.
func (w *world) begin(s send) <-chan answer {
	answers := make(chan answer, 1)
	go func() {
		defer GinkgoRecover()
		a, err := w.try(s)
		Expect(err).NotTo(HaveOccurred())
		answers <- a
	}()
	return answers
}

// receive waits for the answer to what was begun.
func receive(answers <-chan answer) answer {
	GinkgoHelper()
	var a answer
	Eventually(answers, patience).Should(Receive(&a))
	return a
}

func (w *world) read(as auth.Principal, id string) answer {
	GinkgoHelper()
	return w.do(send{as: &as, method: http.MethodGet, path: "/checkout/" + id})
}

// effects counts the ledger's entries by kind.
func (w *world) effects() map[provider.Kind]int {
	counts := map[provider.Kind]int{}
	for _, e := range w.provider.Entries(0) {
		counts[e.Kind]++
	}
	return counts
}

// once is the trace of one complete checkout.
func once() map[provider.Kind]int {
	return map[provider.Kind]int{provider.KindReservation: 1, provider.KindCharge: 1, provider.KindOrder: 1}
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

// brittle is a store that can be out of reach.
type brittle struct {
	checkout.Store
	down  atomic.Bool
	loads atomic.Int64
	loses atomic.Int64 // answers of reservations that are kept
	told  atomic.Int64 // events that were to be written
}

var errDown = errors.New("the store is out of reach")

func (b *brittle) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	if b.down.Load() {
		return checkout.Record{}, false, errDown
	}
	stored, created, err := b.Store.Reserve(ctx, r)
	if b.loses.Add(-1) >= 0 {
		return checkout.Record{}, false, errDown
	}
	return stored, created, err
}

func (b *brittle) Load(ctx context.Context, id string) (checkout.Record, error) {
	b.loads.Add(1)
	if b.down.Load() {
		return checkout.Record{}, errDown
	}
	return b.Store.Load(ctx, id)
}

func (b *brittle) Wake(ctx context.Context, paymentKey string, now time.Time) (checkout.Record, error) {
	if b.down.Load() {
		return checkout.Record{}, errDown
	}
	return b.Store.Wake(ctx, paymentKey, now)
}

func (b *brittle) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	if b.down.Load() {
		return errDown
	}
	if r.Event != nil {
		b.told.Add(1)
	}
	return b.Store.Save(ctx, r, attempts...)
}
