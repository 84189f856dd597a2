package harness

import "time"

// EventType says what an event tells. The first four follow the usual language
// of history checkers; "fail" is reserved for what certainly never reached the
// target, since a request without an answer may have moved money.
type EventType string

// The event types.
const (
	Invoke      EventType = "invoke" // a caller is about to send one attempt
	OK          EventType = "ok"     // a complete HTTP answer arrived, whatever its status
	Failure     EventType = "fail"   // certainly never sent: nothing can have happened
	Info        EventType = "info"   // sent, but no complete answer: the outcome is unknown
	FaultEvent  EventType = "fault"  // a fault was planned, fired, observed or lifted
	EffectEvent EventType = "effect" // one ledger entry, as the probe read it
	CallEvent   EventType = "call"   // one exchange on a link that the harness owns, as the wire saw it
	ConnEvent   EventType = "conn"   // one connection at a scripted peer, when it ended
	LogEvent    EventType = "log"    // one line of the target's log
	RecordEvent EventType = "record" // what the target's store holds of one request
	OutboxEntry EventType = "outbox" // one entry of the target's outbox that is new, has changed or is gone
	MarkEvent   EventType = "mark"   // a milestone of the experiment
)

// Event is one line of a history. Exactly one of the pointers is set, the one
// that belongs to Type.
type Event struct {
	Seq     int64         `json:"seq"`            // 1-based position in the history
	At      time.Duration `json:"at"`             // ns since the run's monotonic base
	Type    EventType     `json:"type"`           //
	Case    string        `json:"case,omitempty"` // the case it belongs to
	Op      string        `json:"op,omitempty"`   // ties ok, fail and info to their invoke
	Request *Request      `json:"request,omitempty"`
	Answer  *Answer       `json:"answer,omitempty"`
	Error   string        `json:"error,omitempty"` // of info and fail: what the caller saw
	Fault   *FaultRecord  `json:"fault,omitempty"`
	Effect  *Effect       `json:"effect,omitempty"`
	Call    *Call         `json:"call,omitempty"`
	Conn    *Connection   `json:"conn,omitempty"`
	Log     *LogRecord    `json:"log,omitempty"`
	Record  *StoredRecord `json:"record,omitempty"`
	Outbox  *OutboxEvent  `json:"outbox,omitempty"`
	Mark    *Mark         `json:"mark,omitempty"`
}

// complete reports whether the event holds what its type promises, so that
// judges need not ask.
func (e Event) complete() bool {
	switch e.Type {
	case Invoke:
		return e.Request != nil
	case OK:
		return e.Request != nil && e.Answer != nil
	case Failure, Info:
		return e.Request != nil && e.Error != ""
	case FaultEvent:
		return e.Fault != nil
	case EffectEvent:
		return e.Effect != nil
	case CallEvent:
		return e.Call != nil
	case ConnEvent:
		return e.Conn != nil
	case LogEvent:
		return e.Log != nil
	case RecordEvent:
		return e.Record != nil
	case OutboxEntry:
		return e.Outbox != nil
	case MarkEvent:
		return e.Mark != nil
	}
	return false
}

// Request is one attempt as the caller sent it.
type Request struct {
	Operation     string   `json:"operation"` // checkout, status, ...
	Principal     string   `json:"principal,omitempty"`
	Tenant        string   `json:"tenant,omitempty"`
	Method        string   `json:"method"`
	Path          string   `json:"path"`
	Keys          []string `json:"keys,omitempty"`    // the idempotency header lines, none if it was not sent
	KeyName       string   `json:"keyName,omitempty"` // how the header's name was spelt, if not as in the dialect
	Variant       string   `json:"variant,omitempty"`
	Unset         []string `json:"unset,omitempty"`      // body members that were left out
	Spelling      Spelling `json:"spelling,omitempty"`   // of the body, if not the usual one
	Refreshed     bool     `json:"refreshed,omitempty"`  // with other credentials of the same principal
	Headers       []string `json:"headers,omitempty"`    // names of the further headers that it was sent with
	Body          string   `json:"body,omitempty"`       // redacted
	BodySHA256    string   `json:"bodySha256,omitempty"` // of what was sent, before redaction
	Reference     string   `json:"reference,omitempty"`
	Amount        int64    `json:"amount,omitempty"` // minor units
	CorrelationID string   `json:"correlationId,omitempty"`
	Attempt       int      `json:"attempt"`            // 1-based, within the case
	Instance      int      `json:"instance,omitempty"` // of the service that was called, the first is 0
	Final         bool     `json:"final,omitempty"`    // sent by the engine to resolve an unknown outcome
	At            string   `json:"at,omitempty"`       // of a series: the address to call, where callers have one each
	// Due is when a plan had it sent, since the run's monotonic base; 0: no plan did.
	Due time.Duration `json:"due,omitempty"`
}

// Answer is one complete HTTP answer with the fields that the profile maps.
type Answer struct {
	Status        int                 `json:"status"`
	Header        map[string][]string `json:"header,omitempty"` // canonical names
	Body          string              `json:"body,omitempty"`   // redacted, at most 16 KiB
	BodySHA256    string              `json:"bodySha256"`       // of all bytes received
	BodyBytes     int64               `json:"bodyBytes"`
	JSON          bool                `json:"json"` // the body is one JSON object
	RequestID     string              `json:"requestId,omitempty"`
	OrderID       string              `json:"orderId,omitempty"`
	State         string              `json:"state,omitempty"`
	Code          string              `json:"code,omitempty"`
	AttemptCount  *int                `json:"attemptCount,omitempty"`
	UpdatedAt     string              `json:"updatedAt,omitempty"`
	Retryable     *bool               `json:"retryable,omitempty"`
	CorrelationID string              `json:"correlationId,omitempty"`
	RetryAfter    string              `json:"retryAfter,omitempty"`
	Outcome       string              `json:"outcome,omitempty"` // of a client under test: error or cancelled; empty for a response
	Message       string              `json:"message,omitempty"` // of its error
}

// FaultStage is a step in the proof of a fault.
type FaultStage string

// The stages. A pass needs all four.
const (
	FaultPlanned  FaultStage = "planned"
	FaultFired    FaultStage = "fired"    // counted by the injector
	FaultObserved FaultStage = "observed" // seen at the other side: the caller or the call journal
	FaultLifted   FaultStage = "lifted"
)

// FaultRecord is one step of one fault.
type FaultRecord struct {
	Fault    string     `json:"fault"`
	Stage    FaultStage `json:"stage"`
	Injector string     `json:"injector,omitempty"`
	Fired    int        `json:"fired,omitempty"`  // at FaultLifted: how often in all
	Trap     bool       `json:"trap,omitempty"`   // at FaultPlanned: it waits for what must not happen
	Detail   string     `json:"detail,omitempty"` // the symptom, or why it was lifted
}

// Effect is one entry of a ledger.
type Effect struct {
	Seq           int64  `json:"seq"`
	Kind          string `json:"kind"` // charge, authorization, capture, void, reservation, release, order
	ID            string `json:"id"`
	Key           string `json:"key,omitempty"` // the key that the target gave its provider
	Reference     string `json:"reference,omitempty"`
	CorrelationID string `json:"correlationId,omitempty"`
	Amount        int64  `json:"amount,omitempty"` // minor units
	Currency      string `json:"currency,omitempty"`
	At            string `json:"time,omitempty"`
}

// Call is one exchange on a link that the harness owns.
type Call struct {
	Link          string        `json:"link"`
	Operation     string        `json:"operation,omitempty"`
	Index         int           `json:"index"`              // 1-based, within the case, link and operation
	Conn          int64         `json:"conn"`               // connection number on the link
	Instance      int           `json:"instance,omitempty"` // of the service, on the client link; the first is 0
	Method        string        `json:"method"`
	Path          string        `json:"path"`
	Key           string        `json:"key,omitempty"` // idempotency key of the request
	Reference     string        `json:"reference,omitempty"`
	CorrelationID string        `json:"correlationId,omitempty"`
	BodySHA256    string        `json:"bodySha256,omitempty"` // of the request
	Upstream      int           `json:"upstream,omitempty"`   // status the upstream gave, 0 if it was not asked
	Status        int           `json:"status,omitempty"`     // status sent back, 0 if none
	Outcome       CallOutcome   `json:"outcome"`
	Fault         string        `json:"fault,omitempty"`     // the fault that fired on it
	Started       time.Duration `json:"started"`             // request complete; ns since the run's base
	Forwarded     time.Duration `json:"forwarded,omitempty"` // 0 if the upstream was not asked
	Answered      time.Duration `json:"answered,omitempty"`  // the upstream's answer complete
	Ended         time.Duration `json:"ended"`
	// Of scripted peers only: the request as it came, and the step that it met.
	Step      int         `json:"step,omitempty"`      // counted from 1
	Lines     [][2]string `json:"lines,omitempty"`     // header lines in order, redacted
	BodyBytes int64       `json:"bodyBytes,omitempty"` // of the request
	Answers   string      `json:"answers,omitempty"`   // SHA-256 of the body that was sent back in full
}

// Connection is one connection at a scripted peer.
type Connection struct {
	ID       int64         `json:"id"`
	Opened   time.Duration `json:"opened"` // ns since the run's base
	Closed   time.Duration `json:"closed"` // when the caller's end was seen to close, or we closed it
	By       string        `json:"by"`     // who ended it first: caller or peer
	Requests int           `json:"requests"`
	Secure   bool          `json:"secure,omitempty"` // the TLS handshake succeeded
	Problem  string        `json:"problem,omitempty"`
	At       string        `json:"at,omitempty"` // the address that was called, at a door that has many
}

// The ends of a connection.
const (
	ByCaller = "caller"
	ByPeer   = "peer"
)

// CallOutcome is how an exchange ended for its caller.
type CallOutcome string

// The outcomes of a call.
const (
	CallAnswered  CallOutcome = "answered"
	CallReset     CallOutcome = "reset"
	CallClosed    CallOutcome = "closed"
	CallTruncated CallOutcome = "truncated"
	CallGarbage   CallOutcome = "garbage"
	CallPeerLeft  CallOutcome = "peer-left" // the caller gave up first
	CallPart      CallOutcome = "part"      // the caller left before its request was complete, and the upstream got what there was of it
	CallUpstream  CallOutcome = "upstream-failed"
	CallDiscarded CallOutcome = "discarded" // a copy that the link sent by itself: its answer reached nobody
)

// Mark is a milestone.
type Mark struct {
	Name   string           `json:"name"`
	Detail string           `json:"detail,omitempty"`
	Count  map[string]int64 `json:"count,omitempty"`
}

// The marks that the engine writes and the gates read.
const (
	MarkBarrier     = "barrier"     // callers were released together; count.callers
	MarkSettled     = "settled"     // the ledger was quiet for a window, then read; the effects before it belong to it
	MarkPending     = "unresolved"  // an outcome stayed unknown or unfinished
	MarkUnsettled   = "unsettled"   // the ledger did not become quiet, or could not be read
	MarkVanished    = "vanished"    // the ledger lost entries that it had shown
	MarkInterrupted = "interrupted" // the run was told to stop while the experiment was under way
	MarkError       = "error"       // the experiment could not be carried out
	MarkLost        = "target-lost" // the target could not be reached, and the scenario had not taken it down
	MarkEnd         = "end"         // the last record of a complete history
	MarkRestarted   = "restarted"   // the target was killed and came back; count.tookMs of this and the next
	MarkKilled      = "killed"      // the target was killed and stays down
	MarkStarted     = "started"     // the killed target answers again
	MarkPaused      = "paused"      // the target's processes stand still
	MarkResumed     = "resumed"     // they go on
	MarkClock       = "clock-moved" // the target's clock shows another time
	MarkFlag        = "flag-set"    // a feature of the target was switched
)
