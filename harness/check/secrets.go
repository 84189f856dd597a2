package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// SecretsKept judges that nothing secret of the run is found in what the target
// tells: its log and spans, its metrics, and its errors. The wire has to show that
// each canary was really there. Cases of told come to errors; in those of passed
// the dependency's answer comes back, which shows what it says.
func SecretsKept(told, passed Pick, sent ...harness.Canary) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		seen := map[harness.Canary]bool{}
		outputs, measured := 0, false
		for e := range h.Events() {
			for _, canary := range sent {
				seen[canary] = seen[canary] || onTheWire(h, e, passed, canary.Marker())
			}
			text, output := outputOf(h, e, told)
			if !output {
				continue
			}
			outputs++
			measured = measured || e.Type == harness.MarkEvent && e.Mark.Count["lines"] > 0
			if i := strings.Index(text, harness.AnyCanary); i >= 0 {
				marker, _, _ := strings.Cut(text[i+len(harness.AnyCanary):], "⟧")
				return harness.Failed("no credential, key or payload in what the target tells", "the secret "+inQuotes(marker)+" in "+placeOf(e), e.Seq)
			}
		}
		for _, canary := range sent {
			if !seen[canary] {
				return harness.Undecided("the canary " + string(canary) + " was not seen where it was sent, so it could not leak")
			}
		}
		switch {
		case outputs == 0:
			return harness.Undecided("nothing that the target tells was read")
		case harness.Needs{string(harness.CapLogs)}.Missing(h.Header.Capabilities) == nil && unread(h) != "":
			return harness.Undecided(unread(h))
		case harness.Needs{string(harness.CapMetrics)}.Missing(h.Header.Capabilities) == nil && !measured:
			return harness.Undecided("the target's metrics were not read")
		}
		return harness.Passed(fmt.Sprintf("none of %d canaries in %d records, readings and errors", len(sent), outputs))
	}
}

// onTheWire reports whether an event shows the marker where the run sent it: in a
// request, or in what the dependency answers.
func onTheWire(h *harness.History, e harness.Event, passed Pick, marker string) bool {
	switch {
	case e.Type == harness.CallEvent:
		text := e.Call.Path + " " + e.Call.Key
		for _, line := range e.Call.Lines {
			text += " " + line[1]
		}
		return strings.Contains(text, marker)
	case e.Type == harness.OK && passed.accepts(h, e.Case) && strings.Contains(e.Answer.Body, marker):
		return true
	case e.Type == harness.OK:
		return strings.Contains(e.Request.Body, marker) || strings.Contains(e.Request.Path, marker)
	}
	return false
}

// outputOf returns what the target tells in an event, and whether it tells
// anything there.
func outputOf(h *harness.History, e harness.Event, told Pick) (string, bool) {
	switch {
	case e.Type == harness.LogEvent:
		return e.Log.Line, true
	case e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkMetrics:
		return e.Mark.Detail, true
	case e.Type == harness.OK && told.accepts(h, e.Case) && (e.Answer.Outcome == harness.OutcomeError || e.Answer.Status >= 400):
		text := e.Answer.Body + " " + e.Answer.Message
		for _, values := range e.Answer.Header {
			text += " " + strings.Join(values, " ")
		}
		return text, true
	}
	return "", false
}

func placeOf(e harness.Event) string {
	switch e.Type {
	case harness.LogEvent:
		if e.Log.IsSpan() {
			return "a span"
		}
		return "the log"
	case harness.MarkEvent:
		return "the metrics"
	}
	return "an error"
}
