package profile

import (
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// knob is a dialect knob with a closed set of words.
type knob struct {
	key, value string
	words      string
}

func (p *Profile) validateDialect(src *source) {
	d := p.Dialect.Dialect
	for _, k := range []knob{
		{"keySyntax", d.KeySyntax, "raw structured either"},
		{"duplicateHeader", d.DuplicateHeader, "reject first"},
		{"mismatch", d.Mismatch.Mode, "refuse replay execute any"},
		{"inProgress", d.InProgress.Mode, "refuse wait any"},
		{"precedence", d.Precedence, "mismatch in-progress any"},
		{"store", d.Store, "all terminal non5xx 2xx"},
		{"replayBody", d.ReplayBody, "original current"},
		{"expired", d.Expired, "reject new either"},
		{"fingerprint", d.Fingerprint, "bytes semantic fields none any"},
		{"errorFormat", d.ErrorFormat, "srs problem any"},
		{"retryableFailure", d.RetryableFailure, "resume replay"},
	} {
		src.oneOf("dialect."+k.key, k.value, strings.Fields(k.words))
	}
	if d.SameCart != "" { // no preset says: it is no part of any contract that they were read from
		src.oneOf("dialect.sameCart", d.SameCart, []string{"allow", "refuse", "same-order"})
	}
	for _, s := range d.Scope {
		src.oneOf("dialect.scope", s, []string{"tenant", "principal", "operation", "version"})
	}
	if !isToken(d.Header) {
		src.wrong("dialect.header", "is no header name: %s", src.show("dialect.header", d.Header))
	}
	if d.ReplayMarker != "" && !isToken(d.ReplayMarker) {
		src.wrong("dialect.replayMarker", "is no header name: %s", src.show("dialect.replayMarker", d.ReplayMarker))
	}
	validateKeyLength(src, d)
	if !slices.Contains([]int{0, 403, 404}, d.StatusNonOwner) {
		src.wrong("dialect.statusNonOwner", "must be 403 or 404, not %d", d.StatusNonOwner)
	}
	validateKept(src, d)
	validateRefusals(src, d)
}

// ownKey is the length of the keys that scenarios send: UUIDs.
const ownKey = 36

func validateKeyLength(src *source, d harness.Dialect) {
	switch {
	case d.KeyMin < 1 || d.KeyMax != 0 && d.KeyMax < d.KeyMin:
		src.wrong("dialect.keyMax", "must be at least keyMin, and keyMin at least 1; they are %d and %d", d.KeyMax, d.KeyMin)
	case d.KeyMin > ownKey || d.KeyMax != 0 && d.KeyMax < ownKey:
		src.wrong("dialect.keyMax", "keys from %d to %d characters leave out UUIDs, the %d characters that every scenario sends", d.KeyMin, d.KeyMax, ownKey)
	}
}

// validateKept refuses knobs that contradict each other.
func validateKept(src *source, d harness.Dialect) {
	if d.Fingerprint == "none" && d.Mismatch.Mode == "refuse" {
		src.wrong("dialect.fingerprint", "is none, but mismatch refuses another body: a target that compares no bodies cannot; say mismatch: replay")
	}
	if d.Store == "all" && d.RetryableFailure == "resume" {
		src.wrong("dialect.store", "is all, but retryableFailure resumes: a key that keeps its server errors brings them again; say retryableFailure: replay")
	}
	if (d.Store == "non5xx" || d.Store == "2xx") && d.RetryableFailure == "replay" {
		src.wrong("dialect.store", "is %s, but retryableFailure replays an answer that is then not kept; say retryableFailure: resume", d.Store)
	}
}

func validateRefusals(src *source, d harness.Dialect) {
	knows := !d.ObserveOnly
	for _, r := range []struct {
		key    string
		answer harness.Refusal
		needed bool // whether a dialect without it would recognise nothing
		good   bool // whether it may be an answer other than an error
	}{
		{key: "missing", answer: d.Missing.Refusal, needed: knows && !d.Missing.Execute},
		{key: "malformed", answer: d.Malformed},
		{key: "mismatch", answer: d.Mismatch.Refusal, needed: d.Mismatch.Mode == "refuse"},
		{key: "inProgress", answer: d.InProgress.Refusal, needed: d.InProgress.Mode == "refuse"},
		{key: "storeDown", answer: d.StoreDown},
		{key: "pending", answer: d.Pending, good: true},
		{key: "declined", answer: d.Declined, good: true},
	} {
		path := "dialect." + r.key
		if r.needed && len(r.answer.Statuses) == 0 {
			src.wrong(path, "needs statuses: without one no answer would be recognised")
		}
		for _, status := range r.answer.Statuses {
			switch {
			case status < 200 || status > 599:
				src.wrong(path, "holds %d, which is no final HTTP status", status)
			case status < 400 && !r.good:
				src.wrong(path, "holds %d, which refuses nothing", status)
			case status < 300 && r.answer.Code == "" && !(r.key == "pending" && status == 202):
				src.wrong(path, "holds %d without a code, so every success would be taken for it", status)
			}
		}
	}
}
