package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// terminalAnswers returns the attempts of a group whose answer was terminal and
// belongs to the original request: a mismatch answers another body.
func terminalAnswers(h *harness.History, group []attempt) []attempt {
	var list []attempt
	for _, a := range group {
		if c := a.class(h); c == harness.ClassSuccess || c == harness.ClassDeclined || c == harness.ClassRefused {
			list = append(list, a)
		}
	}
	return list
}

// replayed judges pairs of first terminal answer and later answer. It is
// undecided unless every group of the pick got at least repeats later answers,
// and fails at the first pair for which differ returns a text.
func replayed(h *harness.History, pick Pick, repeats int, what string, differ func(first, later harness.Answer) (expected, observed string)) harness.Verdict {
	pairs := 0
	list := groups(keyed(attempts(h, pick)))
	wanted := repeats * len(list)
	for _, group := range list {
		if firstInvoked(group).class(h) == harness.ClassMismatch {
			wanted -= repeats // a key in use before the run: nothing of it is ours
			continue
		}
		terminal := terminalAnswers(h, group)
		if len(terminal) == 0 {
			return harness.Undecided("no terminal answer to " + group[0].request().Operation + " in case " + label(h, group[0].Invoke.Case))
		}
		first := terminal[0]
		for _, later := range group {
			if later.Done.Seq <= first.Done.Seq || later.class(h) == harness.ClassMismatch {
				continue
			}
			if !later.answered() {
				continue // an unknown outcome says nothing about replays
			}
			pairs++
			if expected, observed := differ(*first.Done.Answer, *later.Done.Answer); observed != "" {
				return harness.Failed(expected, observed, first.witness(), later.witness())
			}
		}
	}
	if pairs == 0 || pairs < wanted {
		return harness.Undecided(fmt.Sprintf("%d answers after a terminal one, wanted at least %d", pairs, max(wanted, 1)))
	}
	return harness.Passed(fmt.Sprintf("%d repeats: %s", pairs, what))
}

// OriginalResponseReplayed judges that every answer after the terminal one has
// its status and its body, byte for byte.
func OriginalResponseReplayed(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		return replayed(h, pick, repeats, "status and body as in the first terminal answer", func(first, later harness.Answer) (string, string) {
			if first.Status != later.Status {
				return fmt.Sprintf("status %d again", first.Status), fmt.Sprintf("status %d %s", later.Status, later.Code)
			}
			if first.BodySHA256 != later.BodySHA256 {
				return "the body of the first terminal answer", fmt.Sprintf("another body (%d bytes, first had %d)", later.BodyBytes, first.BodyBytes)
			}
			return "", ""
		})
	}
}

// SameStatusReplayed judges the status alone.
func SameStatusReplayed(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		return replayed(h, pick, repeats, "status as in the first terminal answer", func(first, later harness.Answer) (string, string) {
			if first.Status != later.Status {
				return fmt.Sprintf("status %d again", first.Status), fmt.Sprintf("status %d %s", later.Status, later.Code)
			}
			return "", ""
		})
	}
}

// SameOrderID judges that all success answers for a key name one order (I2).
func SameOrderID(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		judged := 0
		list := groups(keyed(attempts(h, pick)))
		for _, group := range list {
			var first attempt
			later := 0
			for _, a := range group {
				if a.class(h) != harness.ClassSuccess {
					continue
				}
				if a.Done.Answer.OrderID == "" {
					return harness.Failed("an order id in every success answer", "none", a.witness())
				}
				if first.Done.Seq == 0 {
					first = a
					continue
				}
				later++
				if got, want := a.Done.Answer.OrderID, first.Done.Answer.OrderID; got != want {
					return harness.Failed("order "+want+" again", "order "+got, first.witness(), a.witness())
				}
			}
			if later < repeats {
				return harness.Undecided(fmt.Sprintf("%d repeated successes of case %s, wanted %d", later, label(h, group[0].Invoke.Case), repeats))
			}
			judged += later
		}
		if judged == 0 {
			return harness.Undecided("no success was repeated")
		}
		return harness.Passed(fmt.Sprintf("%d repeats name the order of the first answer", judged))
	}
}

// OnlyOrder judges that the order named in the answers is the only one the
// ledger knows for the case. Ledgers that name orders otherwise are judged by
// count.
func OnlyOrder(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		want := h.Header.PerSuccess["order"]
		if want == 0 {
			return harness.Inapplicable("effects.perSuccess declares no order")
		}
		cases := 0
		for id, t := range tallies(h, pick) {
			if len(t.succeeded) == 0 {
				return harness.Undecided("no success in case " + label(h, id))
			}
			cases++
			if got := t.effects["order"]; got != want*len(t.succeeded) {
				return harness.Failed(fmt.Sprintf("%d order(s) in the ledger for case %s", want*len(t.succeeded), label(h, id)), fmt.Sprint(got), append(t.entries["order"], t.asked...)...)
			}
		}
		if cases == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("the only order of each of %d case(s)", cases))
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
		if before == 0 {
			return harness.Undecided("the first request reached no dependency either: the links are not ours")
		}
		return harness.Passed(fmt.Sprintf("%d replays, no call beyond the %d of the first request", replays, before))
	}
}

// ExecutesAndReplays judges that each key of the pick was accepted, executed
// once and replayed: the second answer equals the first. A key that somebody
// used before the run shows as a mismatch and is passed over.
func ExecutesAndReplays(pick Pick) func(*harness.History) harness.Verdict {
	replays := OriginalResponseReplayed(pick, 1)
	return func(h *harness.History) harness.Verdict {
		executed := 0
		for _, group := range groups(keyed(attempts(h, pick))) {
			first := firstInvoked(group)
			switch {
			case !first.answered():
				return harness.Undecided("no answer to the first request of case "+label(h, first.Invoke.Case), first.witness())
			case first.class(h) == harness.ClassMismatch:
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
		return replays(h)
	}
}

// Declined judges that the first answer of every case is the dialect's decline.
func Declined(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		first := firstByCase(h, pick)
		for _, a := range first {
			if a.class(h) != harness.ClassDeclined {
				return harness.Failed(fmt.Sprintf("status %v %s for a declined payment", h.Header.Dialect.Declined.Statuses, h.Header.Dialect.Declined.Code), statusText(a), a.witness())
			}
		}
		if len(first) == 0 {
			return harness.Undecided("no checkout was declined")
		}
		return harness.Passed(fmt.Sprintf("%d declined", len(first)))
	}
}
