package harness

import "slices"

// Dialect is what real APIs disagree on: the spelling of the contract, not its
// substance. Every knob is data, so that a judge compares and never assumes.
type Dialect struct {
	Name      string `json:"name" yaml:"name"`
	Header    string `json:"header" yaml:"header"`       // the idempotency header's name
	KeySyntax string `json:"keySyntax" yaml:"keySyntax"` // raw | structured | either: see [Dialect.KeyLine]
	KeyMin    int    `json:"keyMin" yaml:"keyMin"`       // characters of the key itself, without quotes
	KeyMax    int    `json:"keyMax" yaml:"keyMax"`       // 0: no bound is named

	// ObserveOnly excludes every literal clause: nothing is known of the target,
	// so only the invariants are judged.
	ObserveOnly bool `json:"observeOnly,omitempty" yaml:"observeOnly"`

	Missing         MissingKey `json:"missing" yaml:"missing"`
	Malformed       Refusal    `json:"malformed" yaml:"malformed"`
	DuplicateHeader string     `json:"duplicateHeader" yaml:"duplicateHeader"` // reject | first
	Mismatch        Mismatch   `json:"mismatch" yaml:"mismatch"`
	InProgress      InProgress `json:"inProgress" yaml:"inProgress"`
	Precedence      string     `json:"precedence" yaml:"precedence"` // mismatch | in-progress: which is said first when both hold

	ReplayMarker          string   `json:"replayMarker,omitempty" yaml:"replayMarker"` // response header that marks a replay, if any
	Store                 string   `json:"store" yaml:"store"`                         // all | terminal | non5xx | 2xx: which answers a key keeps
	ReplayBody            string   `json:"replayBody" yaml:"replayBody"`               // original | current
	RetentionMin          Duration `json:"retentionMin" yaml:"retentionMin"`
	Expired               string   `json:"expired" yaml:"expired"`         // reject | new | either
	Scope                 []string `json:"scope" yaml:"scope"`             // tenant, principal, operation, version
	Fingerprint           string   `json:"fingerprint" yaml:"fingerprint"` // bytes | semantic | fields | none
	ErrorFormat           string   `json:"errorFormat" yaml:"errorFormat"` // srs | problem | any
	StoreDown             Refusal  `json:"storeDown" yaml:"storeDown"`
	ValidationConsumesKey bool     `json:"validationConsumesKey" yaml:"validationConsumesKey"`
	StatusNonOwner        int      `json:"statusNonOwner" yaml:"statusNonOwner"`     // 403 or 404, inside one tenant
	RetryableFailure      string   `json:"retryableFailure" yaml:"retryableFailure"` // resume | replay
	Pending               Refusal  `json:"pending" yaml:"pending"`                   // the answer of a durably parked request
	Declined              Refusal  `json:"declined" yaml:"declined"`
	SameCart              string   `json:"sameCart,omitempty" yaml:"sameCart"` // allow | refuse | same-order: what a second key for one cart version brings; empty: reported, not judged
}

// Refusal is an answer recognised by status and, where the dialect names one,
// by code: a 409 alone may mean two things. Without statuses the dialect does
// not say what the answer looks like.
type Refusal struct {
	Statuses []int  `json:"statuses,omitempty" yaml:"statuses"`
	Code     string `json:"code,omitempty" yaml:"code"`
}

// Matches reports whether a is that answer. A Refusal without statuses matches
// nothing.
func (r Refusal) Matches(a Answer) bool {
	return slices.Contains(r.Statuses, a.Status) && (r.Code == "" || r.Code == a.Code)
}

// MissingKey says what happens without a key: a refusal, or execution.
type MissingKey struct {
	Refusal `yaml:",inline"`
	Execute bool `json:"execute,omitempty" yaml:"execute"`
}

// Mismatch says what a used key with another fingerprint brings.
type Mismatch struct {
	Refusal `yaml:",inline"`
	Mode    string `json:"mode" yaml:"mode"` // refuse | replay | execute | any: not known
}

// InProgress says what a duplicate gets while the first is still at work.
type InProgress struct {
	Refusal    `yaml:",inline"`
	Mode       string `json:"mode" yaml:"mode"`             // refuse | wait | any: not known
	RetryAfter bool   `json:"retryAfter" yaml:"retryAfter"` // guidance is promised
}

// Class is what an answer means for the fate of a checkout.
type Class string

// The classes, in the order in which [Dialect.Classify] tries them.
const (
	ClassUnknown     Class = ""            // no rule of the dialect recognises it
	ClassSuccess     Class = "success"     // terminal, the effects happened
	ClassPending     Class = "pending"     // durably parked: ask again
	ClassInProgress  Class = "in-progress" // another attempt holds the key
	ClassMismatch    Class = "mismatch"    // key used with another fingerprint
	ClassDeclined    Class = "declined"    // terminal, no effects
	ClassFailed      Class = "failed"      // 5xx that the key keeps for good: terminal, no effects may be left
	ClassUnavailable Class = "unavailable" // 5xx or 429: not terminal
	ClassRefused     Class = "refused"     // any other 4xx: the request was never accepted
)

// Terminal reports whether repeating the request can bring nothing new.
func (c Class) Terminal() bool {
	switch c {
	case ClassSuccess, ClassDeclined, ClassFailed, ClassMismatch, ClassRefused:
		return true
	}
	return false
}

// Classify sorts an answer to a keyed operation. Codes are compared before the
// status family, since 409 alone is ambiguous.
func (d Dialect) Classify(a Answer) Class {
	switch {
	case d.Pending.Matches(a):
		return ClassPending
	case a.Status >= 200 && a.Status < 300:
		if d.Declined.Matches(a) {
			return ClassDeclined
		}
		return ClassSuccess
	case d.Mismatch.Matches(a) && !d.Ambiguous(a):
		return ClassMismatch
	case d.InProgress.Matches(a):
		return ClassInProgress
	case d.Declined.Matches(a):
		return ClassDeclined
	case a.Status >= 500 && d.RetryableFailure == "replay" && !d.StoreDown.Matches(a):
		return ClassFailed
	case a.Status == 429 || a.Status >= 500:
		return ClassUnavailable
	case a.Status >= 400:
		return ClassRefused
	}
	return ClassUnknown
}

// Ambiguous reports whether the dialect gives a mismatch and a request in
// progress this same answer. Such an answer counts as in progress: asking again
// once the first request has ended tells.
func (d Dialect) Ambiguous(a Answer) bool { return d.Mismatch.Matches(a) && d.InProgress.Matches(a) }
