package check

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// DeclineSpelling compares with "PAYMENT_DECLINED".
func DeclineSpelling(d harness.Dialect) string {
	if d.Declined.Code != "PAYMENT_DECLINED" {
		return fmt.Sprintf("code %q where the clause says %q", d.Declined.Code, "PAYMENT_DECLINED")
	}
	return ""
}

// DeclineFinal judges that a declined payment ends the checkout: the answer says
// that repeating it is of no use, and status reads show FAILED_FINAL, unchanged
// over two rounds of reconciliation.
func DeclineFinal(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		firsts, reads := firstByCase(h, pick), shownByCase(h, pick)
		for _, id := range slices.Sorted(maps.Keys(firsts)) {
			first := firsts[id]
			switch {
			case !first.answered():
				return harness.Undecided("no answer to the declined checkout: "+first.Done.Error, first.witness())
			case first.Done.Answer.Retryable == nil:
				return harness.Undecided("the answer does not say whether it may be repeated; say where it is (response.retryable)", first.witness())
			case *first.Done.Answer.Retryable:
				return harness.Failed("retryable false for a declined payment (case "+label(h, id)+")", "true, with "+statusText(first), first.witness())
			}
			if v := finalSince(h, id, reads[id], first.Done.At); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(firsts) == 0 {
			return harness.Undecided("no checkout was declined")
		}
		return harness.Passed(fmt.Sprintf("%d declined for good, unchanged over two rounds of reconciliation", len(firsts)))
	}
}

func finalSince(h *harness.History, id string, reads []attempt, declined time.Duration) harness.Verdict {
	if len(reads) < 2 {
		return harness.Undecided(fmt.Sprintf("%d status reads of case %s found it, and two are needed", len(reads), label(h, id)))
	}
	from, last := reads[0], reads[len(reads)-1]
	for _, a := range reads {
		got, first := a.Done.Answer, from.Done.Answer
		switch {
		case got.State != stateFinal:
			return harness.Failed(stateFinal+" for a declined payment (case "+label(h, id)+")", inQuotes(got.State), a.witness())
		case got.Code != first.Code || got.UpdatedAt != first.UpdatedAt:
			return harness.Failed("a declined checkout that does not change (case "+label(h, id)+")", fmt.Sprintf("code %q of %s, then code %q of %s", first.Code, first.UpdatedAt, got.Code, got.UpdatedAt), from.witness(), a.witness())
		}
	}
	if rounds := 2 * h.Header.Policy.Checkout.ReconcileEvery(); last.Invoke.At-declined < rounds-Early {
		return harness.Undecided(fmt.Sprintf("case %s was watched for %s, and two rounds of reconciliation take %s", label(h, id), seconds(last.Invoke.At-declined), seconds(rounds)))
	}
	return harness.Passed("unchanged")
}
