package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// FingerprintCovers judges that a request which differs from the first one of its
// key in a single thing is refused as another request, in every case of the pick.
// Where it is refused as wrong in itself, nothing is known of the fingerprint.
func FingerprintCovers(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		d, byCase := h.Header.Dialect, map[string]int{}
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			original, id := firstInvoked(group), group[0].Invoke.Case
			byCase[id] += 0
			if original.class(h) != harness.ClassSuccess {
				return harness.Undecided("the first request of case "+label(h, id)+" did not succeed: "+statusText(original), original.witness())
			}
			for _, a := range group {
				switch {
				case sameRequest(a, original):
					continue
				case !a.answered():
					return harness.Undecided("no answer to the altered request of case "+label(h, id)+": "+a.Done.Error, a.witness())
				case d.Mismatch.Matches(*a.Done.Answer):
					byCase[id]++
				case a.class(h) == harness.ClassRefused:
					return harness.Undecided("the request of case "+label(h, id)+" was refused as wrong in itself once it was altered: "+statusText(a), a.witness())
				default:
					return harness.Failed(fmt.Sprintf("status %v %s for the same key with another %s", d.Mismatch.Statuses, d.Mismatch.Code, label(h, id)), statusText(a), original.witness(), a.witness())
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(byCase)) {
			if byCase[id] == 0 {
				return harness.Undecided("no altered request was sent in case " + label(h, id))
			}
		}
		if len(byCase) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d altered requests, each refused as another one", len(byCase)))
	})
}

// sameRequest reports whether two attempts sent the same to the same place.
func sameRequest(a, b attempt) bool { return sameBody(a, b) && a.request().Path == b.request().Path }

// EqualMeaningReplayed judges that a request in another spelling of the same is
// answered with what the first one brought.
func EqualMeaningReplayed(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(FingerprintOfBytes, func(h *harness.History) harness.Verdict { return respelt(h, pick, false) })
}

// EqualNumbersReplayed judges the same of numbers that are written otherwise. An
// API that takes 1.0 for no whole number refuses it, which says nothing.
func EqualNumbersReplayed(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(FingerprintOfBytes, func(h *harness.History) harness.Verdict { return respelt(h, pick, true) })
}

func respelt(h *harness.History, pick Pick, mayRefuse bool) harness.Verdict {
	judged := 0
	for _, group := range groups(h, keyed(attempts(h, pick))) {
		original, id, again := firstInvoked(group), group[0].Invoke.Case, 0
		if mayRefuse && original.class(h) == harness.ClassRefused {
			return harness.Inapplicable("the API takes numbers in one spelling only: " + statusText(original))
		}
		if original.class(h) != harness.ClassSuccess {
			return harness.Undecided("the first request of case "+label(h, id)+" did not succeed: "+statusText(original), original.witness())
		}
		for _, a := range group {
			switch {
			case a.Invoke.Seq == original.Invoke.Seq || sameBody(a, original):
				continue
			case !a.answered():
				return harness.Undecided("no answer to the other spelling of case "+label(h, id)+": "+a.Done.Error, a.witness())
			case mayRefuse && a.class(h) == harness.ClassRefused:
				return harness.Inapplicable("the API takes numbers in one spelling only: " + statusText(a))
			}
			again++
			if expected, observed := differs(h.Header.Dialect, *original.Done.Answer, *a.Done.Answer); observed != "" {
				return harness.Failed(expected+" for the same request in another spelling (case "+label(h, id)+")", observed, original.witness(), a.witness())
			}
		}
		if again == 0 {
			return harness.Undecided("no other spelling was sent in case " + label(h, id))
		}
		judged += again
	}
	if judged == 0 {
		return harness.Undecided("no keyed request was sent")
	}
	return harness.Passed(fmt.Sprintf("%d other spellings, each taken for the same request", judged))
}

// volatile are the headers that differ between two sends of one request.
func volatile() []string { return []string{"Traceparent", "Date", "User-Agent"} }

// VolatileHeadersIgnored judges that a request is the same whatever the headers
// say that belong to its delivery: its trace, its date, who sends it, and the
// correlation id.
func VolatileHeadersIgnored(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		varied := map[string]bool{}
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			original := firstInvoked(group)
			for _, a := range group {
				for _, name := range a.request().Headers {
					varied[name] = varied[name] || a.answered() && !slices.Contains(original.request().Headers, name)
				}
				varied["the correlation id"] = varied["the correlation id"] || a.answered() && a.request().CorrelationID != original.request().CorrelationID
			}
		}
		for _, name := range append(volatile(), "the correlation id") {
			if !varied[name] {
				return harness.Undecided("no repeat was answered in which " + name + " differed")
			}
		}
		return replayed(h, pick, len(volatile())+1, "the first answer, whatever the headers of delivery said", func(first, later harness.Answer) (string, string) {
			return differs(h.Header.Dialect, first, later)
		})
	}
}

// NullIsNotAbsent judges that a member that is null and one that is left out are
// not one request: the second of the two under a key is refused, as another
// request or as wrong in itself.
func NullIsNotAbsent(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		judged := 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			original, id := firstInvoked(group), group[0].Invoke.Case
			other := 0
			for _, a := range group {
				if sameBody(a, original) {
					continue
				}
				if !a.answered() {
					return harness.Undecided("no answer in case "+label(h, id)+": "+a.Done.Error, a.witness())
				}
				other++
				if original.class(h) == harness.ClassRefused {
					continue // null is refused from the start: the key is free
				}
				if class := a.class(h); class != harness.ClassRefused && !a.mismatched(h) {
					return harness.Failed("a refusal: the first request under the key had "+label(h, id), statusText(a), original.witness(), a.witness())
				}
			}
			if other == 0 {
				return harness.Undecided("nothing but one body was sent in case " + label(h, id))
			}
			if original.class(h) == harness.ClassSuccess {
				judged++
			}
		}
		if judged == 0 {
			return harness.Undecided("no first request was accepted, with the member or without")
		}
		return harness.Passed(fmt.Sprintf("%d keys whose second request was told from the first by null", judged))
	})
}
