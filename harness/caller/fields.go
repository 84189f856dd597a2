package caller

import (
	"encoding/json"

	"github.com/oncecheck/oncecheck/harness"
)

// mapFields fills the fields of the contract from a JSON object. A member of an
// unexpected type counts as absent: judges then miss it and say so.
func mapFields(a *harness.Answer, body []byte) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return
	}
	a.JSON = true
	text := func(name string) (s string) {
		_ = json.Unmarshal(members[name], &s) // absent and mistyped are the same to a judge
		return s
	}
	a.RequestID, a.OrderID, a.State = text("requestId"), text("orderId"), text("state")
	a.Code, a.CorrelationID = text("code"), text("correlationId")
	var n *int
	if json.Unmarshal(members["attemptCount"], &n) == nil {
		a.AttemptCount = n
	}
	var r *bool
	if json.Unmarshal(members["retryable"], &r) == nil {
		a.Retryable = r
	}
}
