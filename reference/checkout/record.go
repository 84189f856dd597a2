package checkout

import (
	"net/http"
	"time"
)

// State is what a customer may know about a checkout.
type State string

// The states. SUCCEEDED and FAILED_FINAL are terminal.
const (
	Pending         State = "PENDING"
	Succeeded       State = "SUCCEEDED"
	FailedRetryable State = "FAILED_RETRYABLE"
	FailedFinal     State = "FAILED_FINAL"
)

// Terminal reports whether the state never changes again.
func (s State) Terminal() bool { return s == Succeeded || s == FailedFinal }

// Lock says who may work on a record. It is independent of the state: a terminal
// record may still be cleaned up after.
type Lock string

// The lock statuses.
const (
	InProgress Lock = "IN_PROGRESS" // a worker holds the lease, or died holding it
	Parked     Lock = "PARKED"      // waits for reconciliation at DueAt
	Released   Lock = "RELEASED"    // nothing to do by ourselves
)

// Scope is what makes two uses of a key the same use. It is unique in the store.
type Scope struct {
	Tenant, Principal, Operation, Version, Key string
}

// Owner is the customer who may read the checkout.
type Owner struct {
	Tenant, Subject string
}

// Record is everything that is known about one checkout, or about the
// cancellation of one.
type Record struct {
	RequestID     string
	Scope         Scope
	Owner         Owner
	Version       string // of the API that it came by, which is the form of its answers
	Cancels       string // request id of the checkout that this one cancels; empty for a checkout
	Fingerprint   string
	Order         Order
	CorrelationID string
	PaymentKey    string // by which the payment provider knows the payment; empty where it takes none

	State State
	Code  string // the public error code, or empty

	Lock       Lock
	Fence      int64     // grows with every claim; a write under an older one is refused
	LeaseUntil time.Time // when another worker may claim; zero if nobody holds it
	DueAt      time.Time // when a worker should look at it; zero is never
	Run        int       // numbers the rounds of attempts, from 1

	ReservationID string // results of the steps, empty until durable
	ChargeID      string
	OrderID       string

	Response     Answer // of a terminal record
	AttemptCount int    // over all dependency operations

	CreatedAt, UpdatedAt time.Time
	TerminalAt           time.Time // zero until terminal
	ExpiresAt            time.Time // zero while it is under way

	Event *Event // to be saved with it, in the one save that makes it terminal; never loaded
}

// Attempt is one call of a dependency on behalf of a record. Operation, Run and
// Number identify it within the record.
type Attempt struct {
	Dependency    string
	Operation     string
	Run, Number   int
	Class         string // how it ended; empty while under way
	Status        int    // HTTP status, or 0
	Unknown       bool   // it may have been executed, and nobody said so
	CorrelationID string
	StartedAt     time.Time
	EndedAt       time.Time // zero while under way, or if its worker died
}

// Open reports whether the attempt may have had an effect that nobody knows of.
func (a Attempt) Open() bool { return a.Unknown || a.EndedAt.IsZero() }

// Answer is an HTTP answer. What is stored of one is what a replay repeats: no
// Date and no Set-Cookie.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}
