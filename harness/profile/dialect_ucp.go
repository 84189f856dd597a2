package profile

import "github.com/oncecheck/oncecheck/harness"

// ucp is the dialect of the Universal Commerce Protocol's checkout over REST.
//
// Source: https://github.com/Universal-Commerce-Protocol/ucp as of 22 August
// 2026, after release 2026-04-08: docs/specification/shopping/checkout/rest.md,
// docs/specification/signatures.md ("Replay Protection") and
// docs/specification/overview/index.md ("Protocol Errors"). From public
// documentation, not verified live.
//
// Not found there: what a duplicate gets while the first request is at work (so
// mode any; a 409 may then be either), whether an error result is kept, the
// answer to a malformed key, the longest key, and what an expired key brings.
func ucp() preset {
	return preset{
		Dialect: harness.Dialect{
			Name: "ucp", Header: "Idempotency-Key", KeySyntax: "raw",
			KeyMin: 22, // "minimum 128 bits (e.g., UUID v4, 22+ char alphanumeric)"

			Missing:         harness.MissingKey{Execute: true}, // "operations that modify state SHOULD support idempotency. When provided ..."
			DuplicateHeader: "reject",
			Mismatch:        harness.Mismatch{Mode: "refuse", Refusal: answer("", 409)},
			InProgress:      harness.InProgress{Mode: "any", Refusal: answer("", 409)},
			Precedence:      "any",

			Store: "terminal", RetryableFailure: "resume",
			ReplayBody: "original", RetentionMin: day, Expired: "either",
			Scope:       []string{"tenant", "principal", "operation"}, // "per-client, per-operation type"
			Fingerprint: "bytes",                                      // "the SHA-256 hash of the raw body bytes"
			ErrorFormat: "any",                                        // code and content, or a session with messages
			StoreDown:   answer("", 503),                              // "fail closed (reject request with 503)"

			Pending:  answer("complete_in_progress", 200, 201, 202),
			Declined: answer("payment_failed", 200, 201), // "business outcomes: HTTP 200 with messages"
		},
		response: Response{
			RequestID: ".id", OrderID: ".order.id", State: ".status",
			Code: sessionCode("complete_in_progress"),
		},
	}
}
