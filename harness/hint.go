package harness

// Hint is something about a target that is worth knowing and changes no verdict:
// what was judged holds, but it says less than a reader might think.
type Hint struct {
	About string `json:"about"` // the profile key
	Text  string `json:"text"`
	Next  string `json:"next"` // what to do about it
}

// Hints returns what the positive control showed of the target beside its
// verdict.
func Hints(h *History) []Hint {
	answers := 0
	for e := range h.Events() {
		if e.Type != OK || e.Request.Operation != OpCheckout || h.Header.Dialect.Classify(*e.Answer) != ClassSuccess {
			continue
		}
		if !SameIDs(*e.Answer) {
			return nil
		}
		answers++
	}
	if answers == 0 {
		return nil
	}
	return []Hint{SameIDsHint("every answer of the positive control")}
}

// hinted returns what the checks of a scenario showed beside their verdicts.
func hinted(checks []CheckResult) []Hint {
	var hints []Hint
	for _, c := range checks {
		if c.hint != nil && c.Verdict == Pass {
			hints = append(hints, *c.hint)
		}
	}
	return hints
}

// SameIDs reports whether an answer names request and order by one and the same
// id.
func SameIDs(a Answer) bool { return a.OrderID != "" && a.OrderID == a.RequestID }

// SameIDsHint says what it means that both ids are the same. A request id often
// follows from the key, and then the same key can never show another one, however
// many orders were made.
func SameIDsHint(where string) Hint {
	return Hint{
		About: "response.orderId",
		Text:  "response.orderId and response.requestId are the same in " + where + ": invariant I2 (all success answers for a key name the same order) compares only that one id",
		Next:  "if the answer names the order elsewhere, say where in response.orderId; if it does not, only effects can show a second order",
	}
}
