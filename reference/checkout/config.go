package checkout

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

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

	Seams
}

// Seams are the decisions that make retries safe, one function each. Each has
// one right implementation here, which its comment names.
type Seams struct {
	// Authenticate says who is calling: (*auth.Tokens).Authenticate.
	Authenticate func(*http.Request) (auth.Principal, error)

	// ReadKey takes the idempotency key from the headers. An error is shown to
	// the caller and consumes nothing: [ReadKey].
	ReadKey func(http.Header) (string, error)

	// Scope says which uses of a key are the same use: [ScopeOf].
	Scope func(p auth.Principal, operation, version, key string) Scope

	// Fingerprint says which requests mean the same: [Fingerprint].
	Fingerprint func(Order) string

	// ProviderKey derives the key that a dependency sees for one operation of a
	// checkout: [ProviderKey].
	ProviderKey func(r Record, operation string) string

	// Reconcile finds out what became of a charge of unknown outcome before
	// another attempt is made. query asks the provider. The result is a charge's
	// id, or empty if there is none: [Reconcile].
	Reconcile func(ctx context.Context, r Record, query func(context.Context) (string, error)) (string, error)

	// Replay answers a repeated request from a terminal record: [Replay].
	Replay func(context.Context, Record) Answer

	// Busy answers a repeated request whose record is being worked on; id is the
	// correlation id of the repeated request: [Busy].
	Busy func(ctx context.Context, r Record, id string) Answer

	// Conflict answers a request that reuses a key for something else; id is as
	// above: [Conflict].
	Conflict func(ctx context.Context, r Record, id string) Answer

	// Authorize says what a caller may know of a record: [Authorize].
	Authorize func(auth.Principal, Record) Access

	// NotFound answers for a request id that is unknown, malformed or hidden;
	// it must not tell which: [NotFound].
	NotFound func(requestID, id string) Answer
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
		Seams: Seams{
			Authenticate: tokens.Authenticate,
			ReadKey:      ReadKey,
			Scope:        ScopeOf,
			Fingerprint:  Fingerprint,
			ProviderKey:  ProviderKey,
			Reconcile:    Reconcile,
			Replay:       Replay,
			Busy:         Busy,
			Conflict:     Conflict(http.StatusConflict),
			Authorize:    Authorize,
			NotFound:     NotFound,
		},
	}
}

func (c Config) validate() error {
	for name, missing := range map[string]bool{
		"Directory": c.Directory == nil, "Store": c.Store == nil, "Log": c.Log == nil, "Now": c.Now == nil,
		"Authenticate": c.Authenticate == nil, "ReadKey": c.ReadKey == nil, "Scope": c.Scope == nil,
		"Fingerprint": c.Fingerprint == nil, "ProviderKey": c.ProviderKey == nil, "Reconcile": c.Reconcile == nil,
		"Replay": c.Replay == nil, "Busy": c.Busy == nil, "Conflict": c.Conflict == nil,
		"Authorize": c.Authorize == nil, "NotFound": c.NotFound == nil,
	} {
		if missing {
			return errors.New("checkout configuration lacks " + name + ": start from checkout.Defaults")
		}
	}
	return nil
}
