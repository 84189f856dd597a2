package profile

import (
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// srs is the dialect of the requirements themselves.
func srs() harness.Dialect {
	return harness.Dialect{
		Name:      "srs",
		Header:    "Idempotency-Key",
		KeySyntax: "raw",
		KeyMin:    1,
		KeyMax:    128,

		// Either status is accepted where the requirements leave it open. A
		// malformed key may be refused by the server before any code runs, so no
		// code is asked for.
		Missing:         harness.MissingKey{Refusal: answer("VALIDATION_ERROR", 400, 422)},
		Malformed:       answer("", 400, 422),
		DuplicateHeader: "reject",
		Mismatch:        harness.Mismatch{Mode: "refuse", Refusal: answer("IDEMPOTENCY_CONFLICT", 409)},
		InProgress:      harness.InProgress{Mode: "refuse", Refusal: answer("REQUEST_IN_PROGRESS", 409), RetryAfter: true},
		Precedence:      "mismatch",

		Store:                 "terminal",
		ReplayBody:            "original",
		RetentionMin:          day,
		Expired:               "reject",
		Scope:                 []string{"tenant", "principal", "operation", "version"},
		Fingerprint:           "semantic",
		ErrorFormat:           "srs",
		StoreDown:             answer("SERVICE_UNAVAILABLE", 503),
		ValidationConsumesKey: false,
		StatusNonOwner:        403,
		RetryableFailure:      "resume",
		Pending:               answer("", 202),
		Declined:              answer("PAYMENT_DECLINED", 402),
	}
}

// answer is an answer by its statuses and, where there is one, its code.
func answer(code string, statuses ...int) harness.Refusal {
	return harness.Refusal{Statuses: statuses, Code: code}
}

// day is how long most APIs keep a key at least.
const day = harness.Duration(24 * time.Hour)
