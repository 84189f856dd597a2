package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// paymentData are the canaries that stand for a payment.
func paymentData() []harness.Canary {
	return []harness.Canary{harness.CanaryCard, harness.CanaryCVC, harness.CanaryToken}
}

// minProviderKey is the shortest key of a provider that is looked for: a shorter
// one would be found in ordinary words.
const minProviderKey = 8

// PaymentKeptFromAnswers judges that no answer, neither its body nor its headers,
// repeats payment data or a key that the target gave a provider.
func PaymentKeptFromAnswers(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if missing := unsent(h, pick, paymentData()...); missing != "" {
			return harness.Undecided(missing)
		}
		keys := map[string]harness.Event{}
		for _, c := range calls(h, pick) {
			if len(c.Call.Key) >= minProviderKey {
				keys[c.Call.Key] = c
			}
		}
		posts, reads, errors := 0, 0, 0
		for _, a := range attempts(h, pick) {
			if !a.answered() {
				continue
			}
			text := a.Done.Answer.Body
			for name, values := range a.Done.Answer.Header {
				text += "\n" + name + ": " + strings.Join(values, ", ")
			}
			if marker := leaked(text); marker != "" {
				return harness.Failed("no payment data in an answer", "the canary "+inQuotes(marker)+" with "+statusText(a), a.witness())
			}
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				if c := keys[key]; strings.Contains(text, key) {
					return harness.Failed("no key of a provider in an answer", "the key of "+callText(c)+" with "+statusText(a), a.witness(), c.Seq)
				}
			}
			switch {
			case a.request().Operation == harness.OpStatus:
				reads++
			case isError(a):
				errors++
			default:
				posts++
			}
		}
		switch {
		case reads == 0 || errors == 0 || posts == 0:
			return harness.Undecided(fmt.Sprintf("%d requests, %d errors and %d reads were answered, wanted some of each", posts, errors, reads))
		case downSeen(h) && len(keys) == 0:
			return harness.Undecided("no provider was given a key that could be looked for")
		}
		return harness.Passed(fmt.Sprintf("no payment data and none of %d provider keys in %d answers", len(keys), posts+errors+reads))
	}
}

func downSeen(h *harness.History) bool {
	return harness.Needs{string(harness.CapDependencies)}.Missing(h.Header.Capabilities) == nil
}

// PaymentKeptFromLog judges that nothing the target logs and measures repeats
// payment data, while requests with it succeed, are refused, conflict, are declined
// and fail. A panic cannot be provoked from outside of a target that is right: what
// one would print is beyond this check.
func PaymentKeptFromLog(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if missing := unsent(h, pick, paymentData()...); missing != "" {
			return harness.Undecided(missing)
		}
		if missing := outcomesMissing(h, pick); missing != "" {
			return harness.Undecided(missing)
		}
		return paymentUnlogged(h, pick)
	}
}

// TokenKeptFromLog judges the same where nothing but a token can be sent, and one
// that came with it has to have met a target that was not available.
func TokenKeptFromLog(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if missing := unsent(h, pick, harness.CanaryToken); missing != "" {
			return harness.Undecided(missing)
		}
		if !slices.ContainsFunc(keyed(attempts(h, pick)), func(a attempt) bool {
			return a.answered() && a.Done.Answer.Status >= 500 && strings.Contains(a.request().Body, harness.CanaryToken.Marker())
		}) {
			return harness.Undecided("no request with a token ended in a 5xx")
		}
		return paymentUnlogged(h, pick)
	}
}

// paymentUnlogged judges what was read of the log and the metrics.
func paymentUnlogged(h *harness.History, pick Pick) harness.Verdict {
	if why := unread(h); why != "" {
		return harness.Undecided(why)
	}
	ours := 0
	for e := range h.Events() {
		text := ""
		switch {
		case e.Type == harness.LogEvent:
			text = e.Log.Line
			if pick.accepts(h, e.Case) && e.Case != "" {
				ours++
			}
		case e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkMetrics:
			text = e.Mark.Detail
		}
		if marker := leaked(text); marker != "" {
			return harness.Failed("no payment data in what the target tells", "the canary "+inQuotes(marker)+" in "+placeOf(e), e.Seq)
		}
	}
	if ours == 0 {
		return harness.Undecided("the log holds no record of these requests, so nothing shows that they are logged there")
	}
	return harness.Passed(fmt.Sprintf("no payment data in %d records of these requests, nor beside them", ours))
}

// PaymentKeptFromStore judges that no file of the store holds card data. What
// stands for a card may be there: that is what is kept in its place.
func PaymentKeptFromStore(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if missing := unsent(h, pick, paymentData()...); missing != "" {
			return harness.Undecided(missing)
		}
		files, control := 0, int64(0)
		for e := range h.Events() {
			if e.Type != harness.MarkEvent || e.Mark.Name != harness.MarkStorage {
				continue
			}
			for _, canary := range []harness.Canary{harness.CanaryCard, harness.CanaryCVC} {
				found, sought := e.Mark.Count[string(canary)]
				if !sought {
					return harness.Undecided("the canary "+string(canary)+" was not looked for in "+e.Mark.Detail, e.Seq)
				}
				if found > 0 {
					return harness.Failed("tokens in the store, and no card data", fmt.Sprintf("the canary %s %d times in %s", canary, found, e.Mark.Detail), e.Seq)
				}
			}
			files++
			control += e.Mark.Count[harness.StoredControl]
		}
		switch {
		case files == 0:
			return harness.Undecided("the store was not searched")
		case control == 0:
			return harness.Undecided(fmt.Sprintf("the cart of a checkout that was made is in none of %d files, so they are not where the target keeps it", files))
		}
		return harness.Passed(fmt.Sprintf("no card data in %d files, in which a known cart was found %d times", files, control))
	}
}

// leaked returns the payment data that a text repeats, or "".
func leaked(text string) string {
	for _, canary := range paymentData() {
		if strings.Contains(text, canary.Marker()) {
			return string(canary)
		}
	}
	return ""
}

// unsent says which of the payment data never went over the wire to the target.
// The caller's own record is believed only where the link carried a body of the
// same digest.
func unsent(h *harness.History, pick Pick, data ...harness.Canary) string {
	carried := map[string]bool{}
	for e := range h.Events() {
		if e.Type == harness.CallEvent && e.Call.Link == harness.LinkClient && e.Call.BodySHA256 != "" {
			carried[e.Call.BodySHA256] = true
		}
	}
	sent := map[harness.Canary]bool{}
	for _, a := range attempts(h, pick) {
		for _, canary := range data {
			if carried[a.request().BodySHA256] && strings.Contains(a.request().Body, canary.Marker()) {
				sent[canary] = true
			}
		}
	}
	for _, canary := range data {
		if !sent[canary] {
			return "the canary " + string(canary) + " was not seen on the wire, so it could not leak"
		}
	}
	return ""
}

// outcomesMissing says which of the outcomes that have to be logged did not happen.
func outcomesMissing(h *harness.History, pick Pick) string {
	seen := map[string]bool{}
	for _, a := range keyed(attempts(h, pick)) {
		if !a.answered() {
			continue
		}
		switch class := a.class(h); {
		case class == harness.ClassSuccess:
			seen["success"] = true
		case class == harness.ClassMismatch:
			seen["conflict"] = true
		case class == harness.ClassDeclined:
			seen["decline"] = true
		case class == harness.ClassRefused:
			seen["refusal"] = true
		case a.Done.Answer.Status >= 500:
			seen["5xx"] = true
		}
	}
	for _, outcome := range []string{"success", "refusal", "conflict", "decline", "5xx"} {
		if !seen[outcome] {
			return "no request with payment data ended in a " + outcome
		}
	}
	return ""
}
