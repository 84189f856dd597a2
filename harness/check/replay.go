package check

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// terminalAnswers returns the attempts of a group whose answer was terminal, is
// kept by the dialect, and belongs to the original request: a mismatch answers
// another body.
func terminalAnswers(h *harness.History, group []attempt) []attempt {
	var list []attempt
	for _, a := range group {
		if stores(h.Header.Dialect, a.class(h)) {
			list = append(list, a)
		}
	}
	return list
}

// replayed judges pairs of first kept answer and later answer. It fails at the
// first pair for which differ returns a text, and is undecided unless every group
// of the pick got at least repeats later answers. A group is left out if its key
// was in use before the run: nothing of it is ours.
func replayed(h *harness.History, pick Pick, repeats int, what string, differ func(first, later harness.Answer) (expected, observed string)) harness.Verdict {
	pairs, gap := 0, ""
	for _, group := range groups(h, keyed(attempts(h, pick))) {
		original := firstInvoked(group)
		if original.mismatched(h) {
			continue
		}
		id := label(h, group[0].Invoke.Case)
		terminal := terminalAnswers(h, group)
		if len(terminal) == 0 {
			gap = cmp.Or(gap, "no terminal answer to "+group[0].request().Operation+" in case "+id)
			continue
		}
		first, again := terminal[0], 0
		for _, later := range group {
			if later.Done.Seq <= first.Done.Seq || !sameBody(later, original) {
				continue
			}
			if !later.answered() {
				continue // an unknown outcome says nothing about replays
			}
			again++
			if expected, observed := differ(*first.Done.Answer, *later.Done.Answer); observed != "" {
				return harness.Failed(expected, observed, first.witness(), later.witness())
			}
		}
		if again < repeats {
			gap = cmp.Or(gap, fmt.Sprintf("%d answers after the terminal one in case %s, wanted at least %d", again, id, repeats))
		}
		pairs += again
	}
	switch {
	case gap != "":
		return harness.Undecided(gap)
	case pairs == 0:
		return harness.Undecided("no answer after a terminal one")
	}
	return harness.Passed(fmt.Sprintf("%d repeats: %s", pairs, what))
}

// differs tells how a later answer to the same request differs from the first,
// in what the dialect promises to keep: the status, and the body byte for byte
// or at least the order that it names.
func differs(d harness.Dialect, first, later harness.Answer) (expected, observed string) {
	switch {
	case first.Status != later.Status:
		return statusDiffers(first, later)
	case BodyNotKept(d) != "" && first.OrderID != later.OrderID:
		return "order " + first.OrderID + " again", "order " + later.OrderID + ", in a body of its own"
	case BodyNotKept(d) == "" && first.BodySHA256 != later.BodySHA256:
		return "the body of the first terminal answer", fmt.Sprintf("another body (%d bytes, first had %d)", later.BodyBytes, first.BodyBytes)
	}
	return "", ""
}

func statusDiffers(first, later harness.Answer) (expected, observed string) {
	if first.Status != later.Status {
		return fmt.Sprintf("status %d again", first.Status), fmt.Sprintf("status %d %s", later.Status, later.Code)
	}
	return "", ""
}

// OriginalResponseReplayed judges that every answer after the terminal one has
// its status and its body, byte for byte, and the mark of a replay where the
// dialect has one.
func OriginalResponseReplayed(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return Unless(BodyNotKept, func(h *harness.History) harness.Verdict {
		return replayed(h, pick, repeats, "status and body as in the first terminal answer", func(first, later harness.Answer) (string, string) {
			if expected, observed := differs(h.Header.Dialect, first, later); observed != "" {
				return expected, observed
			}
			marker := h.Header.Dialect.ReplayMarker
			if marker != "" && !marked(later, marker) {
				return "a replay that says so in " + marker, "no such header"
			}
			return "", ""
		})
	})
}

// marked reports whether the answer carries the header and does not deny it.
func marked(a harness.Answer, marker string) bool {
	for name, values := range a.Header {
		if strings.EqualFold(name, marker) {
			return len(values) > 0 && !strings.EqualFold(values[0], "false")
		}
	}
	return false
}

// SameStatusReplayed judges the status alone.
func SameStatusReplayed(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		return replayed(h, pick, repeats, "status as in the first terminal answer", statusDiffers)
	}
}

// MarkReplays is noted by a scenario once the first answer is terminal and
// everything it set in motion has come to rest: what a dependency sees of the
// case after it was caused by a replay.
const MarkReplays = "replays-begin"

// NoCallsOnReplay judges that replays reach no dependency.
func NoCallsOnReplay(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		before, replays, rest := 0, 0, marks(h, MarkReplays)
		for _, a := range keyed(attempts(h, pick)) {
			m, known := rest[a.Invoke.Case]
			if !known {
				return harness.Undecided("the first answer of case " + label(h, a.Invoke.Case) + " never came to rest")
			}
			if a.Invoke.Seq > m.Seq && a.answered() {
				replays++
			}
		}
		for _, c := range calls(h, pick) {
			m, known := rest[c.Case]
			if known && c.Call.Started > m.At {
				return harness.Failed("no dependency call on a replay", c.Call.Method+" "+c.Call.Path+" on link "+c.Call.Link, m.Seq, c.Seq)
			}
			before++
		}
		if replays == 0 {
			return harness.Undecided("nothing was replayed")
		}
		down := downstreamOf(h)
		for _, id := range slices.Sorted(maps.Keys(rest)) {
			if v := down.hidden(window{rest[id].At, math.MaxInt64}, rest[id].Seq); v.Outcome != harness.Pass {
				return v
			}
		}
		if before == 0 {
			return harness.Undecided("the first request reached no dependency either: the links are not ours")
		}
		return harness.Passed(fmt.Sprintf("%d replays, no call beyond the %d of the first request", replays, before))
	}
}

// ExecutesAndReplays judges that each key of the pick was accepted, executed
// once and replayed: the second answer is the first in what the dialect keeps. A
// key that somebody used before the run shows as a mismatch and is passed over.
func ExecutesAndReplays(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		executed := 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first := firstInvoked(group)
			switch {
			case !first.answered():
				return harness.Undecided("no answer to the first request of case "+label(h, first.Invoke.Case), first.witness())
			case first.mismatched(h):
				continue
			case first.class(h) != harness.ClassSuccess:
				key := strings.Join(first.request().Keys, ", ")
				return harness.Failed(fmt.Sprintf("a key of %d character(s) to be accepted", len(key)), statusText(first), first.witness())
			}
			executed++
		}
		if executed == 0 {
			return harness.Undecided("every key of the pick was in use before the run")
		}
		return replayed(h, pick, 1, "the first answer again", func(first, later harness.Answer) (string, string) {
			return differs(h.Header.Dialect, first, later)
		})
	}
}

// Declined judges that the first answer of every case is the dialect's decline.
func Declined(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(DeclineUnnamed, func(h *harness.History) harness.Verdict {
		first := firstByCase(h, pick)
		for _, id := range slices.Sorted(maps.Keys(first)) {
			a := first[id]
			if a.class(h) == harness.ClassSuccess {
				return harness.Undecided("the checkout that the profile calls declined was accepted: it is no decline (checkout.variants.declined)", a.witness())
			}
			if a.class(h) != harness.ClassDeclined {
				return harness.Failed(fmt.Sprintf("status %v %s for a declined payment", h.Header.Dialect.Declined.Statuses, h.Header.Dialect.Declined.Code), statusText(a), a.witness())
			}
		}
		if len(first) == 0 {
			return harness.Undecided("no checkout was declined")
		}
		return harness.Passed(fmt.Sprintf("%d declined", len(first)))
	})
}
