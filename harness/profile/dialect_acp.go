package profile

import "github.com/oncecheck/oncecheck/harness"

// acp is the dialect of the Agentic Commerce Protocol's checkout.
//
// Source: https://github.com/agentic-commerce-protocol/agentic-commerce-protocol
// as of 15 June 2026: rfcs/rfc.agentic_checkout.md, section 6, and
// spec/2026-04-17/openapi/openapi.agentic_checkout.yaml. From public
// documentation, not verified live.
//
// Not found there: the answer to a malformed or overlong key, which of two
// refusals comes first, and the answer while the store is down. A replay SHOULD
// carry Idempotent-Replayed: true; since it need not, no marker is asked for.
func acp() preset {
	return preset{
		Dialect: harness.Dialect{
			Name: "acp", Header: "Idempotency-Key", KeySyntax: "raw", KeyMin: 1, KeyMax: 255,

			Missing:         harness.MissingKey{Refusal: answer("idempotency_key_required", 400)},
			DuplicateHeader: "reject",
			Mismatch:        harness.Mismatch{Mode: "refuse", Refusal: answer("idempotency_conflict", 422)},
			InProgress:      harness.InProgress{Mode: "refuse", Refusal: answer("idempotency_in_flight", 409), RetryAfter: true},
			Precedence:      "any",

			Store: "non5xx", RetryableFailure: "resume", // "a retry ... after a 5xx MUST be processed as a fresh request"
			ReplayBody: "original", RetentionMin: day, Expired: "new",
			Scope:       []string{"tenant", "principal", "operation"}, // "authenticated identity + endpoint path"
			Fingerprint: "semantic",                                   // "semantic JSON equality of the request body only"
			ErrorFormat: "any",                                        // flat: type, code, message, param

			// Both are sessions that were answered well: the state and the message of
			// the session tell, and the mapping below makes codes of them.
			Pending:  answer("in_progress", 200, 201, 202),
			Declined: answer("payment_declined", 200, 201),
		},
		response: Response{
			RequestID: ".id", OrderID: ".order.id", State: ".status",
			Code: sessionCode("in_progress"),
		},
	}
}

// sessionCode finds the code of an answer whose body is a checkout session: that
// of an error, the state that says the session is not finished, or that of the
// session's first error message.
func sessionCode(pending string) string {
	return `.code // (.status | select(. == "` + pending + `")) // ([.messages[]? | select(.type == "error") | .code] | first)`
}
