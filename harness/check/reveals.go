package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// shortestCanary is the length from which a text is found in an answer by chance
// no more.
const shortestCanary = 6

// MismatchRevealsNothing judges that the answer to another body tells nothing of
// the original request: neither what it asked for nor what it brought. Only texts
// that the other request did not send itself count, and the original's own answer
// has to show that they are found where they are.
func MismatchRevealsNothing(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		judged, byCase := 0, map[string]int{}
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			original := firstInvoked(group)
			id := original.Invoke.Case
			byCase[id] += 0
			told := originals(h, group, original)
			if len(told) == 0 {
				return harness.Undecided("the original of case "+label(h, id)+" was never answered with anything of its own", original.witness())
			}
			for _, a := range group {
				if sameBody(a, original) || !a.answered() {
					continue
				}
				if what := revealed(told, a); what != "" {
					return harness.Failed("an answer to another body that tells nothing of the original request", "its "+what, original.witness(), a.witness())
				}
				if a.mismatched(h) {
					judged++
					byCase[id]++
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(byCase)) {
			if byCase[id] == 0 {
				return harness.Undecided("no other body was refused in case " + label(h, id))
			}
		}
		if judged == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d refusals without a word of the original", judged))
	})
}

// originals are the texts by which an original can be recognised, by what they
// are. What its answer names is looked for there first: a text that is not found
// where it has to be would never be found.
func originals(h *harness.History, group []attempt, original attempt) map[string]string {
	told := map[string]string{}
	keep := func(what, text string) {
		if len(text) >= shortestCanary {
			told[what] = text
		}
	}
	r := original.request()
	for _, a := range terminalAnswers(h, group) {
		if !sameBody(a, original) {
			continue
		}
		answer := a.Done.Answer
		for what, text := range map[string]string{"order id": answer.OrderID, "request id": answer.RequestID} {
			if strings.Contains(answer.Body, text) {
				keep(what, text)
			}
		}
		if len(told) > 0 {
			keep("body", strings.TrimSpace(answer.Body))
		}
	}
	if len(told) == 0 {
		return nil
	}
	keep("cart", r.Reference)
	keep("correlation id", r.CorrelationID)
	keep("amount", fmt.Sprint(r.Amount))
	return told
}

// revealed returns what the answer shows of the original, or "". The refused
// request's own texts come back with every right.
func revealed(told map[string]string, refused attempt) string {
	r, answer := refused.request(), refused.Done.Answer
	shown := answer.Body
	for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
		shown += "\n" + strings.Join(answer.Header[name], "\n")
	}
	for _, what := range slices.Sorted(maps.Keys(told)) {
		text := told[what]
		if strings.Contains(shown, text) && !strings.Contains(r.Body, text) && r.CorrelationID != text {
			return what
		}
	}
	return ""
}
