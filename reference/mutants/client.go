package mutants

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

// clientMutants are the rows of a client that is broken. It is heard from where a
// suite plays its dependency, whatever else a row needs.
func clientMutants() []Mutant {
	rows := slices.Concat(connectMutants(), readMutants(), deadlineMutants(), cancelMutants(), leakMutants(),
		attemptsMutants(), backoffMutants(), brokenMutants(), statusClassMutants(), elsewhereMutants(),
		retryAfterMutants(), keyRuleMutants(), sameRequestMutants(), resultMutants(),
		halfMutants())
	for i := range rows {
		rows[i].Needs = append([]string{needDependency}, rows[i].Needs...)
	}
	return rows
}

// trip is what becomes of one round trip of an attempt.
type trip func(next http.RoundTripper, r *http.Request) (*http.Response, error)

// around puts t around every round trip of a client.
func around(c *client.Config, t trip) {
	inner := c.Wrap
	c.Wrap = func(next http.RoundTripper) http.RoundTripper {
		next = inner(next)
		return roundTripper(func(r *http.Request) (*http.Response, error) { return t(next, r) })
	}
}

func tripping(t trip) func(*client.Config) {
	return func(c *client.Config) { around(c, t) }
}

// observing changes the contexts under which calls and attempts go on.
type observing struct {
	client.Observer
	call    func(ctx context.Context) (context.Context, func(client.Outcome))
	attempt func(ctx context.Context, a client.Attempt) context.Context
}

func (o observing) Call(ctx context.Context, c client.Call) (context.Context, func(client.Outcome)) {
	if o.call == nil {
		return o.Observer.Call(ctx, c)
	}
	ctx, ended := o.call(ctx)
	ctx, told := o.Observer.Call(ctx, c)
	return ctx, func(outcome client.Outcome) { told(outcome); ended(outcome) }
}

func (o observing) Attempt(ctx context.Context, c client.Call, a client.Attempt) (context.Context, func(client.Attempt)) {
	if o.attempt != nil {
		ctx = o.attempt(ctx, a)
	}
	return o.Observer.Attempt(ctx, c, a)
}

type numberKey struct{}

// numbered lets a trip know which attempt it belongs to, see [number].
func numbered(c *client.Config, t trip) {
	c.Observer = observing{Observer: c.Observer, attempt: func(ctx context.Context, a client.Attempt) context.Context {
		return context.WithValue(ctx, numberKey{}, a.Number)
	}}
	around(c, t)
}

func number(r *http.Request) int {
	n, _ := r.Context().Value(numberKey{}).(int)
	return n
}

// unseen hides what happens to the connections of a request from the client, which
// would close one that it did not ask for.
type unseen struct{ context.Context }

func (u unseen) Value(key any) any {
	v := u.Context.Value(key)
	if _, trace := v.(*httptrace.ClientTrace); trace {
		return nil
	}
	return v
}

// copies returns what makes copies of a request, each with a body of its own. The
// client sees the first one only.
func copies(r *http.Request) func() *http.Request {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body) // from memory
	}
	first := true
	return func() *http.Request {
		ctx := r.Context()
		if !first {
			ctx = unseen{ctx}
		}
		first = false
		again := r.Clone(ctx)
		if r.Body != nil {
			again.Body = io.NopCloser(bytes.NewReader(body))
		}
		return again
	}
}

// lasting sends a request whose exchange does not end with its context once the
// headers are there. What the returned function does is left to whoever calls it.
func lasting(next http.RoundTripper, r *http.Request) (*http.Response, context.CancelFunc, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(r.Context(), cancel)
	resp, err := next.RoundTrip(r.WithContext(ctx))
	stop()
	if err != nil {
		cancel()
	}
	return resp, cancel, err
}

// answer makes a response that nobody sent.
func answer(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader([]byte(body))),
	}
}

// rest waits for d or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// body is a response's body with another way to read or to close it.
type body struct {
	io.Reader
	close func() error
}

func (b body) Close() error { return b.close() }

// readFunc makes a reader of a function.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
