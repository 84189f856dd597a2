package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// TimedOut judges calls whose dependency stayed silent. At the deadline, and
// wherever the declared attempts reach it, the failure is a timeout; a client
// that is not allowed to use up its time may call it unavailability.
func TimedOut(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		p, last := h.Header.Policy.Client, c.last()
		attempts := p.Retries + 1
		if singleShot(last.request()) {
			attempts = 1
		}
		reached := took(last) >= p.Total.Std()-Early || int64(attempts)*int64(p.Read) >= int64(p.Total)
		wanted := "status 504, code " + CodeTimeout
		if !reached {
			wanted += ", or status 503, code " + CodeUnavailable
		}
		if !typed(last) || reached && last.Done.Answer.Code != CodeTimeout {
			return c.fail(wanted, seconds(took(last))+" and "+came(last))
		}
		return harness.Passed("it returned "+came(last), c.witnesses()...)
	})
}

// ErrorObject judges the form of typed errors: an object whose members have the
// types that a program may rely on. Members beside them are told and allowed.
func ErrorObject(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		var seen int
		further := map[string]bool{}
		for _, a := range c.calls {
			if !a.answered() || succeeded(a) || a.Done.Answer.Outcome == harness.OutcomeCancelled {
				continue
			}
			wrong, more := errorProblem(a)
			if wrong != "" {
				return c.failCall(a, `the error object {"code": string, "message": string, "correlationId": string, "retryable": bool}`, fmt.Sprintf("%s, in %s: %.200s", wrong, came(a), a.Done.Answer.Body))
			}
			seen++
			for _, name := range more {
				further[name] = true
			}
		}
		if seen == 0 {
			return c.undecided("no error came back: " + came(c.last()))
		}
		text := fmt.Sprintf("%d errors have the members that they must have", seen)
		if len(further) > 0 {
			text += ", and besides " + strings.Join(slices.Sorted(maps.Keys(further)), ", ")
		}
		return harness.Passed(text, c.witnesses()...)
	})
}

// errorProblem says what is wrong with the form of an error, and which members it
// has besides.
func errorProblem(a attempt) (wrong string, more []string) {
	answer := a.Done.Answer
	if a.request().Operation == harness.OpGateway {
		if kind := strings.Join(valuesOf(answer.Header, "Content-Type"), ", "); !isJSON(kind) {
			return fmt.Sprintf("the content type %q", kind), nil
		}
	}
	var object map[string]any
	if json.Unmarshal([]byte(answer.Body), &object) != nil || object == nil {
		return "no JSON object", nil
	}
	for _, name := range []string{"code", "message", "correlationId"} {
		value, there := object[name]
		text, ok := value.(string)
		switch {
		case !there:
			return "no member " + name, nil
		case !ok:
			return fmt.Sprintf("%s is no string", name), nil
		case text == "":
			return fmt.Sprintf("%s is empty", name), nil
		}
	}
	if _, ok := object["retryable"].(bool); !ok {
		return "retryable is no bool", nil
	}
	for name := range object {
		if !slices.Contains([]string{"code", "message", "correlationId", "retryable"}, name) {
			more = append(more, name)
		}
	}
	return "", more
}

// Unrepeated judges that failures repeat none of these texts, which the dependency
// said or the caller sent.
func Unrepeated(pick Pick, texts ...string) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		last := c.last()
		if len(c.during(last)) == 0 {
			return c.undecided("no request reached the dependency: " + came(last))
		}
		if !last.answered() {
			return c.undecided("nothing came back: " + came(last))
		}
		for _, text := range texts {
			if a := last.Done.Answer; strings.Contains(a.Body, text) || strings.Contains(a.Message, text) {
				return c.fail("an error in the client's own words", fmt.Sprintf("%q in %s: %.200s", text, came(last), a.Body))
			}
		}
		return harness.Passed("the error repeats nothing of what was sent", c.witnesses()...)
	})
}
