package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Exclusion tells by which knob a dialect excludes a clause, or returns "" where
// it does not. An invariant is never excluded.
type Exclusion func(harness.Dialect) string

// Unless judges only where the dialect does not exclude the clause.
func Unless(excluded Exclusion, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if v, out := excluded.verdict(h); out {
			return v
		}
		return judge(h)
	}
}

// verdict returns the verdict of a clause that the dialect excludes.
func (x Exclusion) verdict(h *harness.History) (harness.Verdict, bool) {
	if reason := x(h.Header.Dialect); reason != "" {
		return harness.Inapplicable("dialect " + h.Header.Dialect.Name + " " + reason), true
	}
	return harness.Verdict{}, false
}

// KeyOptional excludes what is said of requests without a key.
func KeyOptional(d harness.Dialect) string {
	switch {
	case d.Missing.Execute:
		return "executes requests without a key (missing: execute)"
	case len(d.Missing.Statuses) == 0:
		return "names no status for a missing key (missing)"
	}
	return ""
}

// MalformedUnnamed excludes what is said of malformed keys.
func MalformedUnnamed(d harness.Dialect) string {
	if len(d.Malformed.Statuses) == 0 {
		return "names no status for a malformed key (malformed)"
	}
	return ""
}

// BlankIsNone excludes what is said of a key without a character.
func BlankIsNone(d harness.Dialect) string {
	if d.Missing.Execute {
		return "takes a blank key for none, and executes requests without one (missing: execute)"
	}
	return MalformedUnnamed(d)
}

// FirstLineCounts excludes what is said of two lines with a key.
func FirstLineCounts(d harness.Dialect) string {
	if d.DuplicateHeader == "first" {
		return "takes the first of several keys (duplicateHeader: first)"
	}
	return MalformedUnnamed(d)
}

// keyRoom is how many characters keys that differ in little may be longer than the
// shortest that is unique.
const keyRoom = 30

// KeysTooUniform excludes what is said of keys that differ in little where a key
// has no room for the difference.
func KeysTooUniform(d harness.Dialect) string {
	if d.KeyMax > 0 && d.KeyMax < d.KeyMin+keyRoom {
		return fmt.Sprintf("takes keys of %d to %d characters, which leaves no room for ones that differ in little (keyMin, keyMax)", d.KeyMin, d.KeyMax)
	}
	return ""
}

// BoundsUnproven excludes what is said of the shortest and the longest key where
// the dialect names no bound, or where nothing tells that somebody had used a
// key that is too short to be unique.
func BoundsUnproven(d harness.Dialect) string {
	switch {
	case d.KeyMax == 0:
		return "names no longest key (keyMax: 0)"
	case d.KeyMin < uniqueKey && d.Mismatch.Mode != "refuse":
		return fmt.Sprintf("does not tell a used key of %d character(s) from a new one (mismatch: %s)", d.KeyMin, d.Mismatch.Mode)
	}
	return ""
}

// uniqueKey is how many random characters make a key that nobody used before.
const uniqueKey = 12

// OverlongUnnamed excludes what is said of keys longer than the longest.
func OverlongUnnamed(d harness.Dialect) string {
	if d.KeyMax == 0 {
		return "names no longest key (keyMax: 0)"
	}
	return MalformedUnnamed(d)
}

// MismatchAllowed excludes what is said of another body under a used key.
func MismatchAllowed(d harness.Dialect) string {
	switch {
	case d.Mismatch.Mode != "refuse":
		return "does not refuse another body under a used key (mismatch: " + d.Mismatch.Mode + ")"
	case d.Fingerprint == "none":
		return "does not compare bodies (fingerprint: none)"
	}
	return ""
}

// InProgressUnrefused excludes what is said of duplicates in progress.
func InProgressUnrefused(d harness.Dialect) string {
	if d.InProgress.Mode != "refuse" {
		return "does not refuse duplicates in progress (inProgress: " + d.InProgress.Mode + ")"
	}
	return ""
}

// BodyNotKept excludes what is said of the body of a replay.
func BodyNotKept(d harness.Dialect) string {
	if d.ReplayBody == "current" {
		return "answers a replay with the current body (replayBody: current)"
	}
	return ""
}

// DeclineUnnamed excludes what is said of the answer to a declined payment.
func DeclineUnnamed(d harness.Dialect) string {
	if len(d.Declined.Statuses) == 0 {
		return "names no status for a declined payment (declined)"
	}
	return ""
}

// DeclineNotStored excludes what is said of the replay of a decline.
func DeclineNotStored(d harness.Dialect) string {
	if !stores(d, harness.ClassDeclined) {
		return "keeps no decline (store: " + d.Store + ")"
	}
	return ""
}

// NotScopedBy excludes what is said of keys of different tenants or principals.
func NotScopedBy(element string) Exclusion {
	return func(d harness.Dialect) string {
		if !d.ScopedBy(element) {
			return fmt.Sprintf("does not scope keys by %s (scope: %v)", element, d.Scope)
		}
		return ""
	}
}

// stores reports whether the dialect keeps answers of that class with the key,
// so that a repeat has to bring them again.
func stores(d harness.Dialect, c harness.Class) bool {
	switch c {
	case harness.ClassSuccess, harness.ClassFailed:
		return true
	case harness.ClassDeclined, harness.ClassRefused:
		return d.Store != "2xx"
	}
	return false
}

// FingerprintOfBytes excludes what is said of equal meaning in other words.
func FingerprintOfBytes(d harness.Dialect) string {
	switch d.Fingerprint {
	case "bytes":
		return "compares bytes (fingerprint: bytes)"
	case "none":
		return "does not compare bodies (fingerprint: none)"
	}
	return ""
}

// FingerprintOfFields excludes what is said of texts that may be read as one.
func FingerprintOfFields(d harness.Dialect) string {
	if d.Fingerprint == "fields" {
		return "compares the fields as it reads them (fingerprint: fields)"
	}
	return ""
}

// roomForScopes is how much longer a key has to be allowed to be than the shortest
// for it to spell out a scope: a tenant, a customer, an operation and a version.
const roomForScopes = 64

// NoRoomForScopes excludes what is said of keys that spell out a scope where they
// cannot be so long.
func NoRoomForScopes(d harness.Dialect) string {
	if d.KeyMax > 0 && d.KeyMax-d.KeyMin < roomForScopes {
		return fmt.Sprintf("takes keys of %d to %d characters, too few to spell out a scope (keyMin, keyMax)", d.KeyMin, d.KeyMax)
	}
	return ""
}

// GuidanceNotPromised excludes what is said of how to go on where a request is in
// progress.
func GuidanceNotPromised(d harness.Dialect) string {
	if reason := InProgressUnrefused(d); reason != "" {
		return reason
	}
	if !d.InProgress.RetryAfter {
		return "promises no guidance in progress (inProgress: {retryAfter: false})"
	}
	return ""
}

// InProgressFirst excludes what is said of a mismatch while a request is in
// progress.
func InProgressFirst(d harness.Dialect) string {
	if d.Precedence != "mismatch" {
		return "does not say a mismatch first (precedence: " + d.Precedence + ")"
	}
	return MismatchAllowed(d)
}

// MismatchUnlike422 excludes the variant in which a mismatch is a 422.
func MismatchUnlike422(d harness.Dialect) string {
	if !slices.Equal(d.Mismatch.Statuses, []int{422}) {
		return fmt.Sprintf("refuses another body otherwise than by 422 alone (mismatch: {statuses: %v})", d.Mismatch.Statuses)
	}
	return MismatchAllowed(d)
}
