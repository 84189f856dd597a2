package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// PendingKept judges that a request which is still open is not forgotten when the
// retention has gone by since it began: its key brings the same request, and so
// does its id, while what had ended by then has been purged. Once it can go on, it
// ends as the request that it was. How an open request is told has to be named.
func PendingKept(pick, purged Pick) func(*harness.History) harness.Verdict {
	return Unless(PendingUnnamed, func(h *harness.History) harness.Verdict {
		retention := h.Header.Policy.Checkout.Retention.Std()
		if retention <= 0 {
			return harness.Undecided("the profile declares no retention (policy.checkout.retention)")
		}
		clock, n := targetClockOf(h), 0
		cleaned := purgedAt(h, purged)
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first := firstInvoked(group)
			name, began := label(h, first.Invoke.Case), clock.at(first.Invoke)
			if first.class(h) != harness.ClassPending || first.Done.Answer.RequestID == "" {
				return harness.Undecided("the request of case "+name+" was not left open under an id: "+statusText(first), first.witness())
			}
			id := first.Done.Answer.RequestID
			late, ended := 0, false
			for _, a := range attempts(h, Labelled(name)) {
				if clock.at(a.Invoke)-began <= retention {
					continue
				}
				if v := answeredInTime(h, clock, a); v.Outcome != harness.Pass {
					return v
				}
				got := a.Done.Answer
				open := a.class(h) == harness.ClassPending || a.class(h) == harness.ClassInProgress || a.class(h) == harness.ClassSuccess
				if a.request().Operation == harness.OpStatus {
					open = got.Status == 200
				}
				if !open || got.RequestID != id && got.RequestID != "" {
					return harness.Failed(fmt.Sprintf("request %s, open for %s where ended ones are kept for %s", id, rounded(clock.at(a.Invoke)-began), retention),
						strings.TrimSuffix(statusText(a)+", request "+got.RequestID, ", request "), first.witness(), a.witness())
				}
				if cleaned != 0 && a.Invoke.Seq > cleaned && a.class(h) == harness.ClassPending {
					late++
				}
				ended = ended || a.request().Operation != harness.OpStatus && a.class(h) == harness.ClassSuccess && got.RequestID == id
			}
			switch {
			case cleaned == 0:
				return harness.Verdict{Outcome: harness.NotVerified, Reason: "the target purged nothing while it was watched, so nothing shows that open requests are left out of that"}
			case late == 0:
				return harness.Undecided("the request of case "+name+" was not repeated, still open, after others had been purged", first.witness())
			case !ended:
				return harness.Undecided("the request of case "+name+" did not end as the one that it was", first.witness())
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("no request was open for longer than the retention")
		}
		return harness.Passed(fmt.Sprintf("%s open for more than %s was kept while others were purged, and then ended", several(n, "request"), retention))
	})
}

// purgedAt returns when a request that could be read was found no more, or 0.
func purgedAt(h *harness.History, pick Pick) int64 {
	read := map[string]bool{}
	for _, a := range statusReads(attempts(h, pick)) {
		switch {
		case !a.answered():
		case a.Done.Answer.Status == 200:
			read[a.request().Path] = true
		case a.Done.Answer.Status == 404 && read[a.request().Path]:
			return a.Done.Seq
		}
	}
	return 0
}

// OnceEnded judges further only where the requests of the pick have all ended, in a
// success or a decline. What one that is still open left in the ledger is no mistake
// yet, and where the experiment broke off before it could end nothing else is shown.
func OnceEnded(pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		clock := targetClockOf(h)
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			if _, v := endedAt(h, clock, group); v.Outcome != harness.Pass {
				return v
			}
		}
		return judge(h)
	}
}
