package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// KilledWithin is how soon after an answer the process has to die for the crash to say
// something about what was durable when the answer was given.
const KilledWithin = 50 * time.Millisecond

// crashes are the restarts of a history, in order.
func crashes(h *harness.History) []harness.Event {
	var list []harness.Event
	for e := range h.Events() {
		if e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkRestarted {
			list = append(list, e)
		}
	}
	return list
}

// crashAfter returns the first restart after an event.
func crashAfter(crashes []harness.Event, seq int64) (harness.Event, bool) {
	for _, e := range crashes {
		if e.Seq > seq {
			return e, true
		}
	}
	return harness.Event{}, false
}

// died returns when the process was seen to be gone, between an answer and the
// restart that followed: the kernel then ended the connections of whoever still
// waited for it.
func died(h *harness.History, answered time.Duration, restarted harness.Event) (time.Duration, bool) {
	first, found := time.Duration(0), false
	for e := range h.Events() {
		if e.Type != harness.CallEvent || e.Call.Link != harness.LinkClient || e.Call.Outcome != harness.CallUpstream || e.Call.Forwarded == 0 {
			continue
		}
		if at := e.Call.Ended; at >= answered && at <= restarted.At && (!found || at < first) {
			first, found = at, true
		}
	}
	return first, found
}

// KnownAfterCrash judges that a request whose process died while a call of it was
// held is known to the next one: the same key with another body is refused as used.
func KnownAfterCrash(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		restarts, n := crashes(h), 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			original := firstInvoked(group)
			name := label(h, original.Invoke.Case)
			restarted, ok := crashAfter(restarts, original.Invoke.Seq)
			switch {
			case !ok:
				return harness.Undecided("no process died after the request of case "+name, original.witness())
			case original.answered():
				return harness.Undecided("the request of case "+name+" was answered, so its process did not die under it", original.witness())
			}
			asked := 0
			for _, a := range group {
				if sameBody(a, original) || a.Invoke.Seq < restarted.Seq {
					continue
				}
				if !a.answered() {
					return harness.Undecided("no answer to the other body in case "+name+": "+a.Done.Error, a.witness())
				}
				asked++
				if !a.mismatched(h) {
					return harness.Failed(fmt.Sprintf("status %v %s for another body under the key of case %s, whose process died while it called a dependency: the key was used",
						h.Header.Dialect.Mismatch.Statuses, h.Header.Dialect.Mismatch.Code, name), statusText(a), original.witness(), restarted.Seq, a.witness())
				}
			}
			if asked == 0 {
				return harness.Undecided("nobody asked whether the key of case "+name+" is known after the crash", original.witness())
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("no process died while a call was held")
		}
		return harness.Passed(fmt.Sprintf("%s known after the process that took it had died", several(n, "key")))
	})
}

// OutcomeSurvives judges that what a request of that class was answered still
// holds after the process that said so died at once: its status is there, and says
// the same of what was final, and so does a repetition.
func OutcomeSurvives(pick Pick, class harness.Class) func(*harness.History) harness.Verdict {
	return Unless(namesNo(class), func(h *harness.History) harness.Verdict {
		restarts, soon, late := crashes(h), 0, time.Duration(0)
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first, ok := answeredAs(h, group, class)
			restarted, crashed := crashAfter(restarts, first.Done.Seq)
			if !ok || !crashed {
				continue
			}
			if v := outlived(h, first, group, restarted); v.Outcome != harness.Pass {
				return v
			}
			if at, seen := died(h, first.Done.At, restarted); seen && at-first.Done.At <= KilledWithin {
				soon++
			} else if seen {
				late = at - first.Done.At
			}
		}
		if soon == 0 && late > 0 {
			return harness.Undecided(fmt.Sprintf("the process died %s after the answer, and it has to within %s", late.Round(time.Millisecond), KilledWithin))
		}
		if soon == 0 {
			return harness.Undecided(fmt.Sprintf("no process died within %s of an answer %s", KilledWithin, class))
		}
		return harness.Passed(fmt.Sprintf("%s told the same after the process died within %s of it", several(soon, "answer"), KilledWithin))
	})
}

// answeredAs returns the first attempt of a group, if it was answered as class.
func answeredAs(h *harness.History, group []attempt, class harness.Class) (attempt, bool) {
	first := firstInvoked(group)
	return first, first.answered() && first.class(h) == class && first.Done.Answer.RequestID != ""
}

// outlived compares what is told after a crash with what was told before.
func outlived(h *harness.History, first attempt, group []attempt, restarted harness.Event) harness.Verdict {
	want, name, read := first.Done.Answer, label(h, first.Invoke.Case), false
	witness := func(a attempt) []int64 { return []int64{first.witness(), restarted.Seq, a.witness()} }
	for _, a := range statusReads(attempts(h, Labelled(name))) {
		if a.Invoke.Case != first.Invoke.Case || a.Invoke.Seq < restarted.Seq || read {
			continue
		}
		if !a.answered() {
			return harness.Undecided("no answer to a status read after the crash: "+a.Done.Error, a.witness())
		}
		read = true
		got := a.Done.Answer
		after := fmt.Sprintf("of case %s, answered %s before the process died", name, statusText(first))
		switch {
		case got.Status != 200 || got.RequestID != want.RequestID && got.RequestID != "":
			return harness.Failed("status 200 for request "+want.RequestID+" "+after, statusText(a)+", request "+inQuotes(got.RequestID), witness(a)...)
		case first.class(h).Terminal() && want.State != "" && got.State != want.State:
			return harness.Failed("state "+want.State+" "+after, "state "+inQuotes(got.State), witness(a)...)
		}
	}
	if !read {
		return harness.Undecided("the status of case "+name+" was not read after the crash", first.witness())
	}
	if !first.class(h).Terminal() {
		return harness.Passed("")
	}
	for _, a := range group {
		if a.Invoke.Seq < restarted.Seq || !a.answered() {
			continue
		}
		if expected, observed := differs(h.Header.Dialect, *want, *a.Done.Answer); observed != "" {
			return harness.Failed(expected+" (case "+name+", after the process died)", observed, witness(a)...)
		}
		return harness.Passed("")
	}
	return harness.Undecided("the request of case "+name+" was not repeated after the crash", first.witness())
}
