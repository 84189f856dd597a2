package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// KeysCounted judges that between the first and the last reading of its metrics
// the target counted the requests with a key and those without one, all of them
// and no others, and that none of this is told by key or by customer: no key is in
// the metrics, and the counters have no more series after requests of different
// customers than before. The first reading has to come after a request of each
// kind, and more than one customer has to have sent.
func KeysCounted(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		first, last := readings(h)
		if first == nil || last == nil || first.Seq == last.Seq {
			return harness.Undecided("the metrics were not read before and after")
		}
		sent := map[string]int64{harness.MetricKeyed: 0, harness.MetricKeyless: 0}
		before, customers, marked := map[string]bool{}, map[string]bool{}, false
		witness := []int64{first.Seq, last.Seq}
		for _, a := range keyed(attempts(h, All())) {
			kind := harness.MetricKeyed
			if len(a.request().Keys) == 0 {
				kind = harness.MetricKeyless
			}
			if a.Done.Seq != 0 && a.Done.Seq < first.Seq {
				before[kind] = true
				continue
			}
			if !a.answered() || a.Invoke.Seq < first.Seq || a.Done.Seq > last.Seq || !pick.accepts(h, a.Invoke.Case) {
				return harness.Undecided("a request of case "+label(h, a.Invoke.Case)+" was not answered between the two readings", a.witness())
			}
			sent[kind]++
			customers[a.request().Tenant+"/"+a.request().Principal] = true
			marked = marked || markedKey(a)
			witness = append(witness, a.witness())
		}
		switch {
		case sent[harness.MetricKeyed] == 0 || sent[harness.MetricKeyless] == 0:
			return harness.Undecided("there were no requests of both kinds between the readings", witness...)
		case !before[harness.MetricKeyed] || !before[harness.MetricKeyless]:
			return harness.Undecided("there was no request of both kinds before the first reading, so that new series would show nothing", witness...)
		case len(customers) < 2 || !marked:
			return harness.Undecided("it takes two customers and a key that is known wherever it appears to see that neither is a label", witness...)
		}
		if last.Mark.Detail != "" {
			return harness.Failed("no key, credential or customer in the metrics", last.Mark.Detail, last.Seq)
		}
		for _, kind := range []string{harness.MetricKeyed, harness.MetricKeyless} {
			if v := grew(*first.Mark, *last.Mark, kind, sent[kind], witness); v.Outcome != harness.Pass {
				return v
			}
			was, is := first.Mark.Count[harness.SeriesOf(kind)], last.Mark.Count[harness.SeriesOf(kind)]
			if is != was {
				return harness.Failed(fmt.Sprintf("as many series of %s after further customers and keys as before: %d", kind, was), fmt.Sprint(is), witness...)
			}
		}
		return harness.Passed(fmt.Sprintf("%d requests with a key and %d without were counted, in no more series than before", sent[harness.MetricKeyed], sent[harness.MetricKeyless]), witness...)
	}
}

// markedKey reports whether the key of a request holds a canary, by whose marker
// it is known wherever the target repeats it.
func markedKey(a attempt) bool {
	for _, key := range a.request().Keys {
		if strings.Contains(key, harness.CanaryKey.Marker()) {
			return true
		}
	}
	return false
}
