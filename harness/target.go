package harness

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Target is an opened target: what the profile declares, and the adapters that
// reach it. A nil adapter means that the capability is absent.
type Target struct {
	Info    TargetInfo
	Clock   Clock // the base of all times, shared with the links' journals
	Sender  Sender
	Probe   Probe   // nil without the capability effects
	Journal Journal // nil only in tests that own no link
	// Meet makes the next n exchanges of a case on the client link wait for each
	// other at the target's door, so that they arrive together. It may be nil.
	Meet      func(caseID string, n int)
	Injectors []Injector // the first that accepts a fault carries it out
	Control   Controls   // what may be done to it; zero: nothing
	Observe   Observer   // what it tells of its inside; zero: nothing
	Client    Client     // an HTTP client under test, nil without one
	// Again starts that client once more, in a process of its own, until stop is
	// called. It is nil where that is not ours to do.
	Again func(ctx context.Context) (c Client, stop func(), err error)
	// Scaled is the second target of the run, see [Scaled]; nil without one.
	Scaled *Target
	// Twins are targets of the same kind, see [Plan.TwinWith].
	Twins []*Target
	// Peers opens dependencies that follow a script, by the route on which the
	// client under test reaches them.
	Peers   map[Route]Peers
	Secrets map[string]string
}

// TargetInfo is what a profile declares about a target, secrets left out.
type TargetInfo struct {
	Name          string         `json:"name"`
	Version       string         `json:"version"`
	ProfileSHA256 string         `json:"profileSha256"`
	Requirements  string         `json:"requirements"`
	Dialect       Dialect        `json:"dialect"`
	Capabilities  []Capability   `json:"capabilities"`
	Policy        Policy         `json:"policy"`
	PerSuccess    map[string]int `json:"perSuccess,omitempty"`
	SharedLedger  bool           `json:"sharedLedger,omitempty"` // others leave effects there too
	Principals    []Principal    `json:"principals"`
	Links         []LinkInfo     `json:"links,omitempty"` // the dependencies we own, without the client link
	// Maintenance are the windows in which it need not be available.
	Maintenance []Maintenance `json:"maintenance,omitempty"`
	// Instances is how many addresses the service has; 0 and 1 are one.
	Instances int `json:"instances,omitempty"`
	// Operations are those that take a key, besides the checkout.
	Operations []KeyedOperation `json:"operations,omitempty"`
	// APIVersion is that of the checkout, as the profile calls it.
	APIVersion string `json:"apiVersion,omitempty"`
	// Fields are the members of a checkout's body by what they mean.
	Fields map[Field]string `json:"fields,omitempty"`
	// Refused are the kinds of credentials that no operation may accept and that the run has.
	Refused []string     `json:"refused,omitempty"`
	Limits  Limits       `json:"limits,omitzero"`   // the load that the run keeps to
	Client  *ClientInfo  `json:"client,omitempty"`  // what the client under test says of itself
	Gateway *GatewayInfo `json:"gateway,omitempty"` // nil without one
	// Webhook are the open names of the provider's webhook.
	Webhook []string `json:"-"`
	// Responses are what the profile itself says of where answers say what.
	Responses []ResponseClaim `json:"-"`
}

// KeyedOperation is an operation of the profile that takes a key.
type KeyedOperation struct {
	Name       string     `json:"name"`
	Capability Capability `json:"capability"`          // second-operation or second-version
	Principal  string     `json:"principal,omitempty"` // who calls it; default: who makes the checkouts
	Refers     bool       `json:"refers,omitempty"`    // it names a request or an order, which has to be there
	Version    string     `json:"version,omitempty"`   // of the API, as the profile calls it
	// Effects are the ledger entries that one success leaves, by kind. Nil: the
	// profile does not say.
	Effects map[string]int `json:"effects,omitempty"`
}

// Principal is an identity that the profile can act as.
type Principal struct {
	Name   string   `json:"name"`
	Tenant string   `json:"tenant"`
	Roles  []string `json:"roles,omitempty"`
	// SameNameAs is a principal of another tenant whom the target knows by the same
	// name, if there is one.
	SameNameAs string `json:"sameNameAs,omitempty"`
	// Refreshed says that there are second credentials of the same identity.
	Refreshed bool `json:"refreshed,omitempty"`
}

// NamedLike reports whether the target knows both by one name.
func (p Principal) NamedLike(other Principal) bool {
	return p.SameNameAs == other.Name || other.SameNameAs == p.Name || p.SameNameAs != "" && p.SameNameAs == other.SameNameAs
}

// LinkInfo describes a dependency link.
type LinkInfo struct {
	Name       string          `json:"name"`
	Operations []OperationInfo `json:"operations"`
	Optional   bool            `json:"optional,omitempty"` // a plain checkout does not call it
}

// OperationInfo describes one operation of a dependency. An operation with an
// Effect changes something; one with Query true asks what became of it.
type OperationInfo struct {
	Name   string `json:"name"`
	Effect string `json:"effect,omitempty"` // kind of ledger entry it leaves
	Query  bool   `json:"query,omitempty"`
	// Keyless says that the dependency takes no idempotency key for it.
	Keyless bool `json:"keyless,omitempty"`
	// Answers names the dependency's own refusals that can be given in its place.
	Answers []string `json:"answers,omitempty"`
}

// The refusals that a dependency may have words of its own for.
const (
	AnswerValidation    = "validation"
	AnswerAuthorization = "authorization"
	AnswerDecline       = "decline"
)

// Principal returns the named principal.
func (t TargetInfo) Principal(name string) (Principal, bool) {
	i := slices.IndexFunc(t.Principals, func(p Principal) bool { return p.Name == name })
	if i < 0 {
		return Principal{}, false
	}
	return t.Principals[i], true
}

// namesakes returns the principals who have the name of one of another tenant.
func (t TargetInfo) namesakes() []Principal {
	return slices.DeleteFunc(slices.Clone(t.Principals), func(p Principal) bool { return p.SameNameAs == "" })
}

// ErrNotSent marks an error of a Sender that certainly left the target
// untouched: no byte of the request was written.
var ErrNotSent = errors.New("nothing was sent")

// ErrUnfilled marks an error that wraps [ErrNotSent]: the profile's template of the
// request could not be filled. It says nothing about the target.
var ErrUnfilled = errors.New("the request could not be made up from the profile")

// Sender sends one attempt on a connection of its own and reads one answer. It
// never repeats anything. An error that wraps [ErrNotSent] says the target
// cannot have seen the request; any other error leaves the outcome unknown.
type Sender interface {
	Send(ctx context.Context, a Attempt) (Request, Answer, error)
}

// Attempt is one request to send.
type Attempt struct {
	Operation     string            // checkout, status, or one of the profile's operations
	Principal     string            // name in the profile; empty sends no credentials
	Keys          []string          // idempotency header lines, sent verbatim
	KeyName       string            // another spelling of the header's name; empty: the dialect's
	Variant       string            // named body variant of the profile, for example "declined"
	Vars          map[string]any    // values of the template's {{names}}: cart, amount, reference, requestId
	Set           map[string]any    // body members to replace, after the template was filled
	Unset         []string          // body members to leave out; a member that is nil in Set is null
	Spelling      Spelling          // another way to write the same body; empty: the usual one
	Refreshed     bool              // with other credentials of the same principal
	Header        map[string]string // further headers
	Query         string            // appended to the query of the template's path, escaped
	CaseID        string            // sent in X-Oncecheck-Case for attribution on the client link
	RunID         string
	CorrelationID string
	Number        int       // 1-based attempt within the case
	Named         string    // what the history calls it; empty: a name of the engine's own. Unique in the session
	Due           time.Time // when it was to be sent, where a plan said so
	Instance      int       // of the service: 0 is the first, below TargetInfo.Instances
	Via           string    // host:port to connect to instead of the client link, for example a toxiproxy listener
	Half          bool      // half of the body is sent, and then the connection ends
	// Ready and Release make a barrier: the sender connects, writes all but the
	// request's last byte, calls Ready, and writes the rest when Release closes.
	Ready   func()
	Release <-chan struct{}
}

// Probe reads the ledger.
type Probe interface {
	// Effects returns all entries with Seq > since, in order.
	Effects(ctx context.Context, since int64) ([]Effect, error)
}

// Journal tells exchanges on the links we own, per case.
type Journal interface {
	// Follow claims the attribution values for a case and calls sink, from the
	// links' goroutines, once per finished exchange of it, until stop.
	Follow(caseID string, values []string, sink func(Call)) (stop func())
	// InFlight returns how many exchanges of the case are not finished.
	InFlight(caseID string) int
	// Strays calls sink once per finished exchange that belongs to no case, until
	// stop.
	Strays(sink func(Call)) (stop func())
}

// Injector carries out faults of one kind.
type Injector interface {
	Name() string
	Accepts(Fault) bool
	// Inject arms the fault for exchanges of the case. It fails if the link or
	// operation does not exist: a fault that can never fire is an error.
	Inject(ctx context.Context, f Fault, caseID string) (Injection, error)
}

// Injection is an armed fault.
type Injection interface {
	Fired() int                 // how often it fired so far
	FiredC() <-chan struct{}    // closed when it fires first
	Via() string                // address callers must use for the fault to meet them; empty: the usual one
	Lift(context.Context) error // disarms; idempotent; stalled exchanges go on
}

// Controls are what the profile lets us do to the target itself. What is nil is
// not offered. Every call has a time limit of its own and returns what was seen
// that proves that it happened; an error means that it is not proven, and leaves
// open what is the case now.
type Controls struct {
	Restart Restarter
	Kill    Killer
	Pause   Pauser
	Clock   ClockMover
	Flags   map[string]Flag // by name
	// Features are the names of the flags that switch what the suite knows, by its
	// names for them: [FlagResilience], [FlagRequireKey].
	Features map[string]string
	Store    StoreLink
	Crash    Crasher
	// Keys are the keys of the profile that offer what it does to the processes.
	Keys map[Capability]string
}

// key returns the key that offers a capability.
func (c Controls) key(of Capability) string { return cmp.Or(c.Keys[of], "control") }

// ErrBackBefore marks the error of a control that was to end what had ended
// before: something else put the target back, or it never was away.
var ErrBackBefore = errors.New("the target had come back before")

// Restarter replaces the target's processes.
type Restarter interface {
	// Restart kills every instance without warning, starts it again, and returns
	// once it answers and is known to be another process.
	Restart(ctx context.Context) (seen string, err error)
	// Start brings back what a restart that failed left down, and returns once it
	// answers. Where it answers already, the error wraps [ErrBackBefore].
	Start(ctx context.Context) (seen string, err error)
}

// Killer takes the target's processes away.
type Killer interface {
	// Kill ends every instance without warning. Where somebody can see to it, they
	// come back by themselves if we die, or after the lease.
	Kill(ctx context.Context, lease time.Duration) (seen string, err error)
	// Start starts what was killed and returns once it answers. Where it had come
	// back before, the error wraps [ErrBackBefore].
	Start(ctx context.Context) (seen string, err error)
}

// Pauser stops the target's processes without ending them.
type Pauser interface {
	// Pause stops every instance. Where somebody can see to it, they go on by
	// themselves if we die, or after the lease.
	Pause(ctx context.Context, lease time.Duration) (seen string, err error)
	// Resume lets them go on and returns once the target answers. Where it had gone
	// on before, the error wraps [ErrBackBefore].
	Resume(ctx context.Context) (seen string, err error)
}

// ClockMover sets the target's clock.
type ClockMover interface {
	// Move sets it to an offset from where it was before it was moved first; 0 puts
	// it back. Where somebody can see to it, it is put back if we die, or after the
	// lease.
	Move(ctx context.Context, offset, lease time.Duration) (seen string, err error)
}

// Flag is a feature of the target that can be switched.
type Flag interface {
	State(ctx context.Context) (on bool, err error)
	// Set switches it. Where somebody can see to it, it is switched back to what it
	// was if we die, or after the lease.
	Set(ctx context.Context, on bool, lease time.Duration) (seen string, err error)
}

// lease is how long a fault may stay armed if nobody lifts it.
const lease = 60 * time.Second
