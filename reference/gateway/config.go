package gateway

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/client"
)

// Dependency is the name of what the gateway calls.
const Dependency = "catalog"

// Config is everything a [Gateway] is made of. Start from [Defaults].
type Config struct {
	Policy     Policy
	Client     client.Config // how the dependency is called; its retries also need the flag
	Base       string        // base URL of the dependency; [Gateway.Redirect] changes it
	Store      Store
	Resilience *Flag // retries and fallback
	Log        *slog.Logger
	Meter      metric.Meter
	Now        func() time.Time // for ages and expiry, never for time limits

	Seams
}

// Policy holds the gateway's own numbers.
type Policy struct {
	MaxAge    time.Duration // a stored result that is older is not safe
	Retention time.Duration // a stored result that is older is removed
	Lookup    time.Duration // the longest look into the store
	// Grace is how long after the client's total the answer may come: what is left
	// of it bounds the look, too. It is below the half second that closing and
	// fallback may take together.
	Grace time.Duration
}

// DefaultPolicy returns the specified numbers, and ours where there are none.
func DefaultPolicy() Policy {
	return Policy{MaxAge: 15 * time.Minute, Retention: 24 * time.Hour, Lookup: time.Second, Grace: 300 * time.Millisecond}
}

// Seams are the decisions that make a fallback safe and a failure clear, one
// function each. Each has one right implementation here, which its comment names.
type Seams struct {
	// Authenticate says who is calling: (*auth.Tokens).Authenticate. It is asked
	// before anything else, and again before a stored result is served.
	Authenticate func(*http.Request) (auth.Principal, error)

	// CorrelationID returns the id that ties all records of a call together:
	// [CorrelationID].
	CorrelationID func(*http.Request) string

	// ReadKey takes the idempotency key from the headers, empty for none. An error
	// is shown to the caller: [ReadKey].
	ReadKey func(http.Header) (string, error)

	// ResourceOf says which calls ask for the same: [ResourceOf].
	ResourceOf func(p auth.Principal, method, target, key string, body []byte) Resource

	// Judge says what a call without an answer means to the caller, or nil if the
	// dependency answered: [Judge].
	Judge func(client.Response, error) *Failure

	// Safe says whether an answer may be stored, to be served later: [Safe].
	Safe func(Resource, client.Response) bool

	// Fresh says whether a stored result of that age may be served: [Fresh].
	Fresh func(age, limit time.Duration) bool

	// Authorize says whether a stored result may be shown to a caller: [Owns].
	Authorize func(auth.Principal, Resource) bool

	// Pass makes the answer of a dependency ours: [Pass].
	Pass func(client.Response) Answer

	// Serve makes a stored result an answer: [Serve].
	Serve func(e Entry, age time.Duration) Answer

	// Refuse makes a failure an answer: [Refuse].
	Refuse func(f Failure, id string) Answer
}

// Defaults returns the right Config for the parts that have no default.
func Defaults(store Store, base string, tokens *auth.Tokens) Config {
	return Config{
		Policy:     DefaultPolicy(),
		Client:     client.Defaults(),
		Base:       base,
		Store:      store,
		Resilience: NewFlag(true),
		Log:        slog.Default(),
		Meter:      unmeasured(),
		Now:        time.Now,
		Seams: Seams{
			Authenticate:  tokens.Authenticate,
			CorrelationID: CorrelationID,
			ReadKey:       ReadKey,
			ResourceOf:    ResourceOf,
			Judge:         Judge,
			Safe:          Safe,
			Fresh:         Fresh,
			Authorize:     Owns,
			Pass:          Pass,
			Serve:         Serve,
			Refuse:        Refuse,
		},
	}
}

func (c Config) validate() error {
	for name, missing := range map[string]bool{
		"Client.Policy": c.Client.Policy == (client.Policy{}), "Store": c.Store == nil, "Resilience": c.Resilience == nil, "Log": c.Log == nil, "Meter": c.Meter == nil, "Now": c.Now == nil,
		"Authenticate": c.Authenticate == nil, "CorrelationID": c.CorrelationID == nil, "ReadKey": c.ReadKey == nil,
		"ResourceOf": c.ResourceOf == nil, "Judge": c.Judge == nil, "Safe": c.Safe == nil, "Fresh": c.Fresh == nil,
		"Authorize": c.Authorize == nil, "Pass": c.Pass == nil, "Serve": c.Serve == nil, "Refuse": c.Refuse == nil,
	} {
		if missing {
			return errors.New("gateway configuration lacks " + name + ": start from gateway.Defaults")
		}
	}
	return nil
}
