package checkout_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	. "github.com/onsi/gomega"
)

// fault acts in place of a dependency on one call.
type fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

func answering(status int, headers ...string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"code":"provider_secret"}`))
	}
}

func saying(status int, body string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func resetBefore(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

func resetAfter(_ http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// hold keeps a call until it is released.
type hold struct {
	arrived, released chan struct{}
	once              sync.Once
}

func newHold() *hold { return &hold{arrived: make(chan struct{}), released: make(chan struct{})} }

func (h *hold) release() { h.once.Do(func() { close(h.released) }) }

func (h *hold) before(w http.ResponseWriter, r *http.Request, next http.Handler) {
	close(h.arrived)
	<-h.released
	next.ServeHTTP(w, r)
}

func (h *hold) after(w http.ResponseWriter, r *http.Request, next http.Handler) {
	recorded := httptest.NewRecorder()
	next.ServeHTTP(recorded, r)
	close(h.arrived)
	<-h.released
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes())
}

// seen is one call that reached a dependency.
type seen struct{ op, key, correlation string }

// network stands between the service and the provider.
type network struct {
	mu     sync.Mutex
	calls  []seen
	queue  map[string][]fault
	always map[string]fault
}

// next makes the following calls of op meet the faults, one each.
func (n *network) next(op string, faults ...fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue[op] = append(n.queue[op], faults...)
}

// all makes every call of op from now on meet f; nil lifts it.
func (n *network) all(op string, f fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.always[op] = f
}

func (n *network) of(op string) []seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(n.calls), func(s seen) bool { return op != "" && s.op != op })
}

func (n *network) keys(op string) []string {
	var keys []string
	for _, s := range n.of(op) {
		keys = append(keys, s.key)
	}
	return keys
}

func (n *network) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		op := r.Method + " " + parts[0]
		if len(parts) == 3 {
			op = parts[2] // void, release
		}
		n.mu.Lock()
		n.calls = append(n.calls, seen{op, r.Header.Get("Idempotency-Key"), r.Header.Get("X-Correlation-ID")})
		f := n.always[op]
		if q := n.queue[op]; len(q) > 0 {
			f, n.queue[op] = q[0], q[1:]
		}
		n.mu.Unlock()
		if f == nil {
			next.ServeHTTP(w, r)
			return
		}
		f(w, r, next)
	})
}

const (
	reserve = "POST reservations"
	charge  = "POST charges"
	query   = "GET charges"
	order   = "POST orders"
	void    = "void"
	release = "release"
)

// expectSame expects n equal strings.
func expectSame(values []string, n int) {
	ExpectWithOffset(1, values).To(HaveLen(n))
	ExpectWithOffset(1, slices.Compact(slices.Clone(values))).To(HaveLen(1), "%v", values)
	ExpectWithOffset(1, values[0]).NotTo(BeEmpty())
}
