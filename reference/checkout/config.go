package checkout

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/client"
)

// Config is everything a [Service] is made of. Start from [Defaults].
type Config struct {
	Policy    Policy
	Client    client.Config // how dependencies are called, and what is repeated
	Directory *Directory
	Store     Store
	Log       *slog.Logger
	Now       func() time.Time
	Meter     metric.Meter // of the use of keys

	// Webhooks tells which webhooks are the payment provider's. Nil: it sends none,
	// and there is no route for them.
	Webhooks *Webhooks

	// KeyRequired says whether a request without a key is refused. Where it is
	// not, such a request runs once, under a key of our own. Nil is always.
	KeyRequired func() bool

	Seams
}

// Seams are the decisions that make retries safe, one function each. Each has
// one right implementation here, which its comment names.
type Seams struct {
	// Authenticate says who is calling: (*auth.Tokens).Authenticate.
	Authenticate func(*http.Request) (auth.Principal, error)

	// Detach frees the work of a request from its caller's patience: a customer who
	// closes the browser has still bought: [context.WithoutCancel].
	Detach func(context.Context) context.Context

	// ReadKey takes the idempotency key from the headers. An error is shown to
	// the caller and consumes nothing: [ReadKey].
	ReadKey func(http.Header) (string, error)

	// Decode reads and validates a request body. An error is shown to the caller
	// and consumes nothing: [DecodeOrder].
	Decode func(body []byte) (Order, error)

	// Scope says which uses of a key are the same use: [ScopeOf].
	Scope func(p auth.Principal, operation, version, key string) Scope

	// Fingerprint says which requests mean the same: [Fingerprint].
	Fingerprint func(Request) string

	// ProviderKey derives the key that a dependency sees for one operation of a
	// checkout: [ProviderKey].
	ProviderKey func(r Record, operation string) string

	// Reconcile finds out what became of a charge of unknown outcome before
	// another attempt is made. query asks the provider. The result is a charge's
	// id, or empty if there is none: [Reconcile].
	Reconcile func(ctx context.Context, r Record, query func(context.Context) (string, error)) (string, error)

	// Reread finds out what a dependency's conflict is about, or its refusal after a
	// call of unknown outcome, before it is believed or repeated. query and the
	// result are as above: [Reconcile].
	Reread func(ctx context.Context, r Record, query func(context.Context) (string, error)) (string, error)

	// Recoverable says whether reconciliation may finish what a checkout leaves
	// open when its time or its attempts are over: [Recoverable].
	Recoverable func(Record, []Attempt) bool

	// Receipt writes the receipt that a customer asked for: [Receipt].
	Receipt func(Record) string

	// Result answers a request that succeeded, and is what its replays repeat;
	// receipt is empty where none was asked for: [Result].
	Result func(r Record, receipt string) Answer

	// Replay answers a repeated request from a terminal record: [Replay].
	Replay func(context.Context, Record) Answer

	// Busy answers a repeated request whose record is being worked on; id is the
	// correlation id of the repeated request: [Busy].
	Busy func(ctx context.Context, r Record, id string) Answer

	// Unfinished answers for a checkout that is FAILED_RETRYABLE: [Unfinished].
	Unfinished func(context.Context, Record) Answer

	// Conflict answers a request that reuses a key for something else; id is as
	// above: [Conflict].
	Conflict func(ctx context.Context, r Record, id string) Answer

	// Authorize says what a caller may know of a record: [Authorize].
	Authorize func(auth.Principal, Record) Access

	// NotFound answers for a request id that is unknown, malformed or hidden;
	// it must not tell which: [NotFound].
	NotFound func(requestID, id string) Answer

	// Write gives an answer to its caller: [Write].
	Write func(http.ResponseWriter, *http.Request, Answer)
}

// Defaults returns the right Config for the parts that have no default.
func Defaults(store Store, directory *Directory, tokens *auth.Tokens) Config {
	return Config{
		Policy:    DefaultPolicy(),
		Client:    client.Defaults(),
		Directory: directory,
		Store:     store,
		Log:       slog.Default(),
		Now:       time.Now,
		Meter:     noop.NewMeterProvider().Meter(""),
		Seams: Seams{
			Authenticate: tokens.Authenticate,
			Detach:       context.WithoutCancel,
			ReadKey:      ReadKey,
			Decode:       DecodeOrder,
			Scope:        ScopeOf,
			Fingerprint:  Fingerprint,
			ProviderKey:  ProviderKey,
			Reconcile:    Reconcile,
			Reread:       Reconcile,
			Recoverable:  Recoverable,
			Receipt:      Receipt,
			Result:       Result,
			Replay:       Replay,
			Busy:         Busy,
			Unfinished:   Unfinished,
			Conflict:     Conflict(http.StatusConflict),
			Authorize:    Authorize,
			NotFound:     NotFound,
			Write:        Write,
		},
	}
}

func (c Config) validate() error {
	for name, missing := range map[string]bool{
		"Directory": c.Directory == nil, "Store": c.Store == nil, "Log": c.Log == nil, "Now": c.Now == nil, "Meter": c.Meter == nil,
		"Authenticate": c.Authenticate == nil, "Detach": c.Detach == nil, "ReadKey": c.ReadKey == nil, "Decode": c.Decode == nil,
		"Scope": c.Scope == nil, "Fingerprint": c.Fingerprint == nil, "ProviderKey": c.ProviderKey == nil,
		"Reconcile": c.Reconcile == nil, "Reread": c.Reread == nil, "Recoverable": c.Recoverable == nil,
		"Receipt": c.Receipt == nil, "Result": c.Result == nil, "Replay": c.Replay == nil, "Busy": c.Busy == nil,
		"Unfinished": c.Unfinished == nil, "Conflict": c.Conflict == nil, "Authorize": c.Authorize == nil,
		"NotFound": c.NotFound == nil, "Write": c.Write == nil,
	} {
		if missing {
			return errors.New("checkout configuration lacks " + name + ": start from checkout.Defaults")
		}
	}
	return nil
}
