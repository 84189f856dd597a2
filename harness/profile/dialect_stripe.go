package profile

import "github.com/oncecheck/oncecheck/harness"

// stripe is the dialect of APIs in the manner of Stripe's API v1. Its API v2
// replays otherwise and is not meant.
//
// Source, as read on 30 November 2026:
// https://docs.stripe.com/api/idempotent_requests (255 characters; the first
// answer is kept whatever it was, 500s included; pruned after at least 24 hours,
// then new; parameters are compared; nothing is kept of a request that failed
// validation or ran beside another),
// https://docs.stripe.com/api/errors (402 for what was valid and failed, 409 for
// a conflict "perhaps due to using the same idempotent key", the type
// idempotency_error) and https://docs.stripe.com/error-low-level
// (Idempotent-Replayed: true; keys are unique "within your account"). That a
// mismatch is a 400 is said in https://github.com/stripe/stripe-ruby/issues/503.
// From public documentation, not verified live.
//
// Not found there: the answer to a malformed or overlong key and to two header
// lines, and which of two refusals comes first.
func stripe() preset {
	return preset{
		Dialect: harness.Dialect{
			Name: "stripe", Header: "Idempotency-Key", KeySyntax: "raw", KeyMin: 1, KeyMax: 255,

			Missing:         harness.MissingKey{Execute: true},
			DuplicateHeader: "reject",
			Mismatch:        harness.Mismatch{Mode: "refuse", Refusal: answer("idempotency_error", 400)},
			InProgress:      harness.InProgress{Mode: "refuse", Refusal: answer("", 409)},
			Precedence:      "any",

			ReplayMarker: "Idempotent-Replayed",
			Store:        "all", RetryableFailure: "replay",
			ReplayBody: "original", RetentionMin: day, Expired: "new",
			Scope:       []string{"tenant"}, // an account; another endpoint is a mismatch
			Fingerprint: "semantic",
			ErrorFormat: "any", // error: {type, code, message}
			Declined:    answer("", 402),
		},
		response: Response{
			RequestID: ".id", OrderID: ".id", State: ".status",
			// A mismatch is known by its type, everything else by its code.
			Code: `(.error.type | select(. == "idempotency_error")) // .error.code // .error.type`,
		},
	}
}
