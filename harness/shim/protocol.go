package shim

// Version is the version of the protocol.
const Version = 1

// Info is what a shim says of the client behind it.
type Info struct {
	Shim         int      `json:"shim"` // version of the protocol
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Policy       *Policy  `json:"policy,omitempty"` // nil: it declares none
	Capabilities []string `json:"capabilities"`
	// What its requests hold beside what callers give. All of it is optional.
	BudgetHeader  string `json:"budgetHeader,omitempty"`  // header that tells the peer how many ms of the call are left
	AttemptHeader string `json:"attemptHeader,omitempty"` // header that differs from attempt to attempt on purpose
	AutoKey       bool   `json:"autoKey,omitempty"`       // it makes a key where the caller gave none
}

// Policy is what a client declares about its limits and its waits. Times that
// are 0 are not declared.
type Policy struct {
	ConnectMs  int64  `json:"connectMs"` // DNS, TCP, TLS and pool wait together
	ReadMs     int64  `json:"readMs"`    // headers and body of one attempt
	TotalMs    int64  `json:"totalMs"`   // all attempts and waits together
	MaxRetries int    `json:"maxRetries"`
	BaseMs     int64  `json:"baseMs"` // wait before the second attempt, doubled for each further one
	CapMs      int64  `json:"capMs"`  // upper limit of one wait
	Jitter     string `json:"jitter"` // equal (half to all of the wait), full (none to all of it) or none
}

// Call is one call for the client to make.
type Call struct {
	ID             string      `json:"id"`
	Fresh          bool        `json:"fresh"` // by a client that has made no call before
	Method         string      `json:"method"`
	URL            string      `json:"url"`
	Headers        [][2]string `json:"headers"`
	Body           []byte      `json:"bodyB64"`
	IdempotencyKey string      `json:"idempotencyKey,omitempty"`
	CorrelationID  string      `json:"correlationId,omitempty"`
	Principal      Principal   `json:"principal"`
	DeadlineMs     int64       `json:"deadlineMs,omitempty"`    // of whoever calls the client; 0: none
	CancelAfterMs  int64       `json:"cancelAfterMs,omitempty"` // 0: never; negative: before it begins
}

// Principal is on whose behalf a call is made.
type Principal struct {
	Name   string            `json:"name,omitempty"`
	Tenant string            `json:"tenant,omitempty"`
	Header map[string]string `json:"header,omitempty"` // its credentials
}

// Outcome is how a call ended for whoever called the client.
type Outcome string

// The outcomes.
const (
	OutcomeResponse  Outcome = "response"  // the client returned a response
	OutcomeError     Outcome = "error"     // it returned an error
	OutcomeCancelled Outcome = "cancelled" // it says that its caller cancelled
)

// Result is what the client returned.
type Result struct {
	ID        string      `json:"id"`
	Outcome   Outcome     `json:"outcome"`
	Status    int         `json:"status,omitempty"` // of the response, or that the error stands for
	Headers   [][2]string `json:"headers,omitempty"`
	Body      []byte      `json:"bodyB64,omitempty"`
	Error     *Error      `json:"error,omitempty"`
	ElapsedNs int64       `json:"elapsedNs"`
}

// Error is the error that the client returned. What it does not say stays empty.
type Error struct {
	Code          string `json:"code"`
	Message       string `json:"message"`
	CorrelationID string `json:"correlationId"`
	Retryable     bool   `json:"retryable"`
}

// CodePanic is the code of an error that stands for a panic of the client.
const CodePanic = "PANIC"

// Seed is a result to store as one that is safe to fall back to.
type Seed struct {
	Principal      Principal   `json:"principal"`
	Method         string      `json:"method"`
	URL            string      `json:"url"`
	IdempotencyKey string      `json:"idempotencyKey,omitempty"`
	Status         int         `json:"status"`
	Headers        [][2]string `json:"headers"`
	Body           []byte      `json:"bodyB64"`
	AgeMs          int64       `json:"ageMs,omitempty"` // how old it is to be
}

// Trust is an authority for a client to trust.
type Trust struct {
	CAPEM string `json:"caPem"`
}

// Resolver is whom a client asks for names.
type Resolver struct {
	Address string `json:"address"` // host and port, of UDP
}

// Stats are numbers that only the client's process knows.
type Stats struct {
	Sockets int `json:"sockets"`
}
