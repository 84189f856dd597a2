package profile

import "github.com/oncecheck/oncecheck/harness"

// observe assumes nothing of a target, so that a first run can learn: every
// answer is accepted, no literal clause is judged, and the six invariants are.
// It has no source; its statuses and members are only the ones that answers of
// this kind have in the other dialects, to tell a refusal from an outcome.
//
// Where an answer says too little, asking again has to tell: a 409 may be a
// mismatch or a request in progress. A server error that a target keeps for good
// looks like one that never ends, and breaks I4; a profile that says
// retryableFailure: replay mends that.
func observe() preset {
	return preset{
		Dialect: harness.Dialect{
			Name: "observe", ObserveOnly: true,
			Header: "Idempotency-Key", KeySyntax: "either", KeyMin: 1,

			DuplicateHeader: "first", // each try has a key of its own, so none is taken for another's
			Mismatch:        harness.Mismatch{Mode: "any", Refusal: answer("", 409, 422)},
			InProgress:      harness.InProgress{Mode: "any", Refusal: answer("", 409, 423, 425)},
			Precedence:      "any",

			Store: "2xx", RetryableFailure: "resume", ReplayBody: "current", Expired: "either",
			Scope:       []string{"tenant", "principal", "operation", "version"}, // I5 knows no excuse
			Fingerprint: "any",
			ErrorFormat: "any",
			Pending:     answer("", 202),
			Declined:    answer("", 402),
		},
		response: Response{
			RequestID: ".requestId // .request_id // .id",
			OrderID:   ".orderId // .order_id // (.order | objects | .id) // .id",
			State:     ".state // .status",
			Code:      ".code // (.error | objects | .code // .type) // .type",
		},
	}
}
