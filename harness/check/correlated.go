package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Correlated judges requests that were under way at the same time: every call that
// a dependency got for one of them carries its correlation id and no other one,
// each declared effect among them, and the target's log holds a record with the id
// that names the request.
func Correlated(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		sent := map[string]attempt{} // by case
		for _, a := range keyed(attempts(h, pick)) {
			if a.class(h) == harness.ClassSuccess && sent[a.Invoke.Case].Done.Seq == 0 {
				sent[a.Invoke.Case] = a
			}
		}
		if len(sent) < 2 {
			return harness.Undecided(fmt.Sprintf("%d requests succeeded, wanted two that were under way together", len(sent)))
		}
		if !together(sent) {
			return harness.Undecided("the requests were not under way at the same time")
		}
		carried := callsByCase(h, pick)
		for _, id := range slices.Sorted(maps.Keys(sent)) {
			a := sent[id]
			wanted := a.request().CorrelationID
			kinds := map[string]bool{}
			for _, c := range carried[id] {
				if c.Call.CorrelationID != wanted {
					return harness.Failed(fmt.Sprintf("correlation id %q on every call of case %s", wanted, label(h, id)),
						fmt.Sprintf("%q on %s", c.Call.CorrelationID, callText(c)), a.witness(), c.Seq)
				}
				kinds[effectOf(h, c.Call.Link, c.Call.Operation)] = true
			}
			if missing := unseen(h, kinds); missing != "" {
				return harness.Undecided("no call of case "+label(h, id)+" for its "+missing, a.witness())
			}
		}
		if s := strays(h); len(s) > 0 {
			return harness.Undecided(callText(s[0])+" belongs to no case, so it may be one whose id was lost", s[0].Seq)
		}
		return audited(h, sent)
	}
}

// together reports whether all requests had begun before one of them ended.
func together(sent map[string]attempt) bool {
	for _, a := range sent {
		for _, b := range sent {
			if a.Invoke.Seq > b.Done.Seq {
				return false
			}
		}
	}
	return true
}

// unseen returns an effect of every plain success whose call is not among those
// seen.
func unseen(h *harness.History, seen map[string]bool) string {
	for _, l := range h.Header.Links {
		for _, o := range l.Operations {
			if h.Header.PerSuccess[o.Effect] > 0 && !l.Optional && !seen[o.Effect] {
				return o.Effect
			}
		}
	}
	return ""
}

// audited looks for the record of each request in the log. One that was written
// without its id is not found under it.
func audited(h *harness.History, sent map[string]attempt) harness.Verdict {
	if why := unread(h); why != "" {
		return harness.Undecided(why)
	}
	records := map[string]int{}
	for e := range h.Events() {
		if e.Type != harness.LogEvent || e.Log.IsSpan() {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(sent)) {
			a := sent[id]
			request := a.Done.Answer.RequestID
			if request == "" || !strings.Contains(e.Log.Line, request) {
				continue
			}
			if wanted := a.request().CorrelationID; e.Log.CorrelationID != wanted {
				return harness.Failed(fmt.Sprintf("correlation id %q in every record of case %s", wanted, label(h, id)), fmt.Sprintf("%q", e.Log.CorrelationID), a.witness(), e.Seq)
			}
			records[id]++
		}
	}
	n := 0
	for _, id := range slices.Sorted(maps.Keys(sent)) {
		a := sent[id]
		if records[id] == 0 {
			return harness.Failed(fmt.Sprintf("a record of request %s with correlation id %q in the log", a.Done.Answer.RequestID, a.request().CorrelationID), "none", a.witness())
		}
		n += records[id]
	}
	return harness.Passed(fmt.Sprintf("%d requests that were under way together kept their ids in all their calls and %d records", len(sent), n))
}
