package shim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Caller makes calls with a client. The context ends at the call's deadline, or
// is cancelled when the call says that its caller cancels: just as it would be by
// any caller, so that a client sees nothing unusual.
type Caller interface {
	Call(ctx context.Context, call Call) Result
}

// What a Caller may offer beside calls. A Handler lists the capability of each
// that is there.
type (
	// Seeder stores results that are safe to fall back to.
	Seeder interface {
		Seed(ctx context.Context, seed Seed) error
	}
	// Resetter forgets connections, stored results and open circuits.
	Resetter interface {
		Reset(ctx context.Context) error
	}
	// Truster trusts a further authority, given in PEM, from now on.
	Truster interface {
		Trust(ctx context.Context, caPEM []byte) error
	}
	// Resolving asks a resolver of the run for names from now on. Its address is
	// host and port, of UDP.
	Resolving interface {
		Resolve(ctx context.Context, address string) error
	}
	// Counter counts the sockets that the client holds.
	Counter interface {
		Sockets(ctx context.Context) (int, error)
	}
	// Logger tells what the client logged.
	Logger interface {
		Logs(ctx context.Context) ([]byte, error)
	}
	// Meter tells what the client measured, in Prometheus text form.
	Meter interface {
		Metrics(ctx context.Context) ([]byte, error)
	}
)

// Handler returns the shim of a client. The version of the protocol is filled
// in, and so are the capabilities that the caller's interfaces show. What only
// the caller itself can know it has to list: cancel, fresh-client,
// declared-policy, idempotency-key.
func Handler(caller Caller, info Info) http.Handler {
	mux := http.NewServeMux()
	info.Shim = Version
	info.Capabilities = append([]string{}, info.Capabilities...)
	offer := func(capability harness.Capability) {
		if !slices.Contains(info.Capabilities, string(capability)) {
			info.Capabilities = append(info.Capabilities, string(capability))
		}
	}
	post(mux, "/v1/call", func(ctx context.Context, call Call) (any, error) { return answer(ctx, caller, call), nil })
	if c, ok := caller.(Seeder); ok {
		offer(harness.CapFallbackSeed)
		post(mux, "/v1/fallback", func(ctx context.Context, seed Seed) (any, error) { return struct{}{}, c.Seed(ctx, seed) })
	}
	if c, ok := caller.(Resetter); ok {
		post(mux, "/v1/reset", func(ctx context.Context, _ struct{}) (any, error) { return struct{}{}, c.Reset(ctx) })
	}
	if c, ok := caller.(Truster); ok {
		offer(harness.CapTLSTrust)
		post(mux, "/v1/trust", func(ctx context.Context, t Trust) (any, error) { return struct{}{}, c.Trust(ctx, []byte(t.CAPEM)) })
	}
	if c, ok := caller.(Resolving); ok {
		offer(harness.CapResolver)
		post(mux, "/v1/resolver", func(ctx context.Context, r Resolver) (any, error) { return struct{}{}, c.Resolve(ctx, r.Address) })
	}
	if c, ok := caller.(Counter); ok {
		offer(harness.CapSocketStats)
		mux.HandleFunc("GET /v1/stats", func(w http.ResponseWriter, r *http.Request) {
			n, err := c.Sockets(r.Context())
			reply(w, Stats{Sockets: n}, err)
		})
	}
	if c, ok := caller.(Logger); ok {
		offer(harness.CapLogs)
		mux.HandleFunc("GET /v1/logs", text(c.Logs))
	}
	if c, ok := caller.(Meter); ok {
		offer(harness.CapMetrics)
		mux.HandleFunc("GET /v1/metrics", text(c.Metrics))
	}
	mux.HandleFunc("GET /v1/info", func(w http.ResponseWriter, _ *http.Request) { reply(w, info, nil) })
	return mux
}

// maxMessage bounds one message either way: a body of 32 MiB in base64.
const maxMessage = 48 << 20

// post serves one endpoint that takes a message and gives one back.
func post[In any](mux *http.ServeMux, path string, do func(context.Context, In) (any, error)) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		in, err := read[In](http.MaxBytesReader(w, r.Body, maxMessage))
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		out, err := do(r.Context(), in)
		reply(w, out, err)
	})
}

// read decodes one message; members that it does not know are of a later
// version. An empty body stands for a message without members.
func read[In any](body io.Reader) (In, error) {
	var in In
	data, err := io.ReadAll(body)
	if err != nil {
		return in, fmt.Errorf("read the request: %w", err)
	}
	if len(data) == 0 {
		return in, nil
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return in, fmt.Errorf("understand the request: %w", err)
	}
	return in, nil
}

// answer makes the call within the limits that it brings.
func answer(ctx context.Context, caller Caller, call Call) (result Result) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if call.DeadlineMs > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeout(ctx, time.Duration(call.DeadlineMs)*time.Millisecond)
		defer done()
	}
	started := time.Now()
	switch {
	case call.CancelAfterMs < 0:
		cancel()
	case call.CancelAfterMs > 0:
		timer := time.AfterFunc(time.Duration(call.CancelAfterMs)*time.Millisecond, cancel)
		defer timer.Stop()
	}
	defer func() {
		if p := recover(); p != nil {
			result = Result{Outcome: OutcomeError, Error: &Error{Code: CodePanic, Message: fmt.Sprint("the client panicked: ", p)}}
		}
		result.ID = call.ID
		if result.ElapsedNs == 0 {
			result.ElapsedNs = time.Since(started).Nanoseconds()
		}
	}()
	return caller.Call(ctx, call)
}

func text(get func(context.Context) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := get(r.Context())
		if err != nil {
			refuse(w, http.StatusInternalServerError, err)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(data) // whoever asked may have left
	}
}

func reply(w http.ResponseWriter, out any, err error) {
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // of our own types; whoever asked may have left
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}
