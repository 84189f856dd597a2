package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// AnswerFields judges the answers to first requests that were accepted: request
// id, state, count of attempts and the correlation id of the request always, the
// order where the checkout succeeded. Answers of each of the classes have to be
// among them.
func AnswerFields(pick Pick, classes ...harness.Class) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		seen := map[harness.Class]int{}
		for _, a := range keyed(attempts(h, pick)) {
			class := a.class(h)
			if a.request().Attempt > 1 || class != harness.ClassSuccess && class != harness.ClassPending {
				continue
			}
			got, missing := a.Done.Answer, absent(a.Done.Answer)
			switch {
			case missing != "":
			case a.request().CorrelationID != "" && got.CorrelationID != a.request().CorrelationID:
				missing = fmt.Sprintf("correlationId %q for a request that brought %q", got.CorrelationID, a.request().CorrelationID)
			case class == harness.ClassSuccess && got.OrderID == "":
				missing = "no orderId, although there is an order"
			}
			if missing != "" {
				return harness.Failed(answerFields, missing+" with "+statusText(a), a.witness())
			}
			seen[class]++
		}
		for _, class := range classes {
			if seen[class] == 0 {
				return harness.Undecided("no first request was answered as " + string(class))
			}
		}
		if len(seen) == 0 {
			return harness.Undecided("no first request was accepted")
		}
		return harness.Passed(fmt.Sprintf("all fields in %d answers of success and %d of pending ones", seen[harness.ClassSuccess], seen[harness.ClassPending]))
	}
}

const answerFields = "requestId, orderId if there is one, state, attemptCount and correlationId"

// absent says which of the fields that are always told an answer lacks.
func absent(a *harness.Answer) string {
	switch {
	case a.RequestID == "":
		return "no requestId"
	case a.State == "":
		return "no state"
	case a.AttemptCount == nil:
		return "no attemptCount that is a whole number"
	case a.CorrelationID == "":
		return "no correlationId"
	}
	return ""
}

// ErrorBodies judges the form of every error of the API: an object with code,
// message and correlation id as texts and retryable as a bool. Least says how many
// different statuses have to be among them.
func ErrorBodies(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		statuses := map[int]bool{}
		n := 0
		for _, a := range attempts(h, pick) {
			if !isError(a) {
				continue
			}
			const wanted = `the error object {"code": string, "message": string, "correlationId": string, "retryable": bool}`
			if wrong, _ := errorProblem(a); wrong != "" {
				return harness.Failed(wanted, fmt.Sprintf("%s, with %s: %.200s", wrong, statusText(a), a.Done.Answer.Body), a.witness())
			}
			if kind := valuesOf(a.Done.Answer.Header, "Content-Type"); len(kind) != 1 || !isJSON(kind[0]) {
				return harness.Failed("an error as JSON", fmt.Sprintf("the content type %q", kind), a.witness())
			}
			statuses[a.Done.Answer.Status] = true
			n++
		}
		if len(statuses) < least {
			return harness.Undecided(fmt.Sprintf("errors with %d different statuses were answered, wanted %d", len(statuses), least))
		}
		return harness.Passed(fmt.Sprintf("%d errors with %d different statuses have the form", n, len(statuses)))
	}
}
