package harness

import (
	"context"
	"time"
)

// Client is an HTTP client under test that makes calls when it is asked to: one
// behind a shim. Attempts are counted at the peer, never by the client.
type Client interface {
	// Call makes one call and returns what the client returned. An error says that
	// the tool failed, never the client.
	Call(ctx context.Context, c ClientCall) (Request, Answer, error)
}

// ClientCall is one call for a client under test to make.
type ClientCall struct {
	Method        string
	URL           string      // in full for a shim; a gateway is asked for the case's item instead
	Item          string      // of a gateway: what makes it another item of the case, appended to its name
	Query         string      // of a gateway: what its path is asked, escaped
	Header        [][2]string // further header lines
	Body          []byte
	Set           map[string]any // of a gateway, whose bodies the profile writes: members to replace
	Key           string         // idempotency key, empty for none
	CorrelationID string         // empty: the client has to make one
	Principal     string         // on whose behalf: a name of the profile, [NoPrincipal] or [RefusedPrincipal]
	Deadline      time.Duration
	CancelAfter   time.Duration // the caller cancels that long after the start; 0: never; negative: before it begins
	Fresh         bool          // by a client that has made no call before
}

// ClientInfo is what a client under test declares about itself.
type ClientInfo struct {
	Name         string       `json:"name"`
	Version      string       `json:"version"`
	Capabilities []Capability `json:"capabilities"` // that it adds to those of the profile
	Backoff      Backoff      `json:"backoff"`
	// BudgetHeader is the request header in which the client tells its peer how
	// many ms of the call's time are left; empty: it tells nobody.
	BudgetHeader string `json:"budgetHeader,omitempty"`
	// AttemptHeader is a request header that differs from attempt to attempt on
	// purpose, such as a counter; empty: there is none.
	AttemptHeader string `json:"attemptHeader,omitempty"`
	// AutoKey says that the client makes an idempotency key where its caller gave
	// none to a call that needs one.
	AutoKey bool `json:"autoKey,omitempty"`
	// Apart says that it is in no process of the target: nothing that is done to the
	// one reaches the other.
	Apart bool `json:"apart,omitempty"`
}

// SocketCounter is a client that says how many sockets its process holds.
type SocketCounter interface {
	Sockets(ctx context.Context) (int, error)
}

// Backoff is what a client declares about its waits between attempts. The zero
// value declares nothing.
type Backoff struct {
	Base   Duration `json:"base"`   // before the second attempt, doubled for each further one
	Cap    Duration `json:"cap"`    // upper limit of one wait
	Jitter string   `json:"jitter"` // equal (half to all of it), full (none to all of it) or none
}

// Bounds returns the smallest and the largest wait that the declaration allows
// after attempt n, counted from 1.
func (b Backoff) Bounds(n int) (low, high time.Duration) {
	high = b.Base.Std()
	for range n - 1 {
		high = min(2*high, b.Cap.Std())
	}
	switch b.Jitter {
	case "full":
		return 0, high
	case "equal":
		return high / 2, high
	}
	return high, high
}

// Route is a way to make the client under test call.
type Route string

// The routes. A clause is judged on all that the target offers.
const (
	RouteShim    Route = "shim"    // the client itself, behind a shim
	RouteGateway Route = "gateway" // an API operation that calls a dependency through it
)

// Peers opens scripted peers.
type Peers interface {
	// Open starts a peer for one case. Item is what names the case in requests where
	// several cases share an address. See is called, from the peer's goroutines, for
	// every exchange and connection that ended: call and conn events without a case.
	Open(ctx context.Context, item string, script Script, see func(Event)) (Peer, error)
}

// Peer is a dependency that follows a script.
type Peer interface {
	URL() string        // of its root, without a slash at the end
	Requests() int      // how many it has read in full so far
	Met() (steps []int) // how often each step was carried out so far: Reused ones on reused connections only
	Knocks() int        // how many connections its door met so far, as far as it can see them; for a name that is not told: how many questions
	Connections() int   // how many are open now
	// Close ends the peer with all its connections, and returns when every record
	// of it was delivered.
	Close(ctx context.Context) error
}

// Everywhere is a [Peer] that may be at all addresses of 127.0.0.0/8 under its
// port. Then callers can be told apart by the address that they call.
type Everywhere interface{ Everywhere() bool }

// The operations of the routes, as requests name them.
const (
	OpCall    = "call"    // through a shim
	OpGateway = "gateway" // through the gateway
)

// The outcomes of a call that brought no response of the dependency.
const (
	OutcomeError     = "error"
	OutcomeCancelled = "cancelled"
)

// The capabilities that clauses of clients ask for.
const (
	CapDependency     Capability = "dependency"      // a client, or a gateway before one, can be made to call us
	CapGateway        Capability = "gateway"         // through an API operation
	CapCancel         Capability = "cancel"          // a call can be cancelled, and given a deadline
	CapFreshClient    Capability = "fresh-client"    // a client that has made no call before
	CapSocketStats    Capability = "socket-stats"    // it says how many sockets it holds
	CapTLSTrust       Capability = "tls-trust"       // it can be told to trust our authority
	CapResolver       Capability = "resolver"        // it can be told to ask our resolver for names
	CapDeclaredPolicy Capability = "declared-policy" // it declares its waits
	CapIdempotencyKey Capability = "idempotency-key" // it can be given a key to send
	CapFallbackSeed   Capability = "fallback-seed"   // a result can be stored that is safe to fall back to
	CapStoreLink      Capability = "store-link"      // the link to the store can be cut, stalled and slowed
	CapLogs           Capability = "logs"
	CapMetrics        Capability = "metrics"
)
