package check

import (
	"fmt"
	"mime"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// during returns the requests that reached the dependency while the call was
// under way. It tells the calls of a case apart where they follow each other.
func (c clientCase) during(a attempt) []harness.Event {
	var list []harness.Event
	for _, e := range c.sent {
		if e.Call.Started >= a.Invoke.At && (a.Done.Seq == 0 || e.Call.Started <= a.Done.At) {
			list = append(list, e)
		}
	}
	return list
}

// last returns the last call of the case.
func (c clientCase) last() attempt { return c.calls[len(c.calls)-1] }

// failCall contrasts what had to be with what was in one call of the case.
func (c clientCase) failCall(a attempt, expected, observed string) harness.Verdict {
	witness := []int64{a.witness()}
	for _, e := range c.during(a) {
		witness = append(witness, e.Seq)
	}
	return harness.Failed(expected+" (case "+c.label+")", observed, witness...)
}

// undecided says why the case cannot be judged.
func (c clientCase) undecided(why string) harness.Verdict {
	return harness.Undecided("case "+c.label+": "+why, c.witnesses()...)
}

// succeeded reports whether a response came back that is a success.
func succeeded(a attempt) bool {
	return a.answered() && a.Done.Answer.Outcome == "" && a.Done.Answer.Status >= 200 && a.Done.Answer.Status < 300
}

// saidSource returns what an answer says of where it comes from.
func saidSource(a attempt) []string {
	if !a.answered() {
		return nil
	}
	for name, values := range a.Done.Answer.Header {
		if strings.EqualFold(name, harness.SourceHeader) {
			return values
		}
	}
	return nil
}

// fromStore reports whether an answer says that it is no fresh one.
func fromStore(a attempt) bool {
	for _, value := range saidSource(a) {
		if strings.Contains(strings.ToLower(value), harness.SourceFallback) {
			return true
		}
	}
	return false
}

// came tells how a call ended, with its source.
func came(a attempt) string {
	text := statusText(a)
	if a.answered() && a.Done.Answer.Outcome != "" {
		text = a.Done.Answer.Outcome + " " + text
	}
	if s := saidSource(a); len(s) > 0 {
		text += fmt.Sprintf(", %s %q", harness.SourceHeader, s)
	}
	return text
}

// typed reports whether the call came to a typed failure: unavailability or a
// timeout, with the status that belongs to the code.
func typed(a attempt) bool {
	if !a.answered() || a.Done.Answer.Outcome == harness.OutcomeCancelled {
		return false
	}
	switch a.Done.Answer.Code {
	case CodeUnavailable:
		return a.Done.Answer.Status == 503
	case CodeTimeout:
		return a.Done.Answer.Status == 504
	}
	return false
}

// gaveUp reports whether the call came to a failure of its dependency, whatever
// code it names: which one is for the clauses about errors.
func gaveUp(a attempt) bool {
	return a.answered() && a.Done.Answer.Outcome != harness.OutcomeCancelled && (a.Done.Answer.Status == 503 || a.Done.Answer.Status == 504)
}

// The codes of typed failures.
const (
	CodeTimeout     = "DEPENDENCY_TIMEOUT"
	CodeUnavailable = "DEPENDENCY_UNAVAILABLE"
)

// isJSON reports whether a content type says JSON.
func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// valuesOf returns the values of a header, whatever its spelling.
func valuesOf(header map[string][]string, name string) []string {
	var values []string
	for have, of := range header {
		if strings.EqualFold(have, name) {
			values = append(values, of...)
		}
	}
	return values
}
