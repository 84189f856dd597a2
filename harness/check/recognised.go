package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Recognised judges further only where the target tells the webhooks that are about
// its payments from one that is about a payment nobody made, in the case nobody
// picks. A target may rightly take all alike; but so does one that was told by the
// wrong member, and finds no payment in any. A failure stands all the same.
func Recognised(nobody Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		known, unknown, seqs := map[int]bool{}, map[int]bool{}, []int64{}
		for e := range h.Events() {
			if e.Type != harness.CallEvent || e.Call.Link != harness.LinkClient || e.Call.Operation != harness.OpWebhook {
				continue
			}
			switch {
			case nobody.accepts(h, e.Case):
				unknown[e.Call.Upstream] = true
				seqs = append(seqs, e.Seq)
			case acknowledged(*e.Call):
				known[e.Call.Upstream] = true
			}
		}
		if len(unknown) == 0 || unknown[0] {
			return harness.Undecided("no answer to a webhook about a payment that nobody made, with which the others could be compared", seqs...)
		}
		for status := range known {
			if !unknown[status] {
				return v
			}
		}
		alike := strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(known))), "[]")
		return harness.Verdict{Outcome: harness.NotVerified, Witness: seqs, Reason: "the target answers a webhook about a payment nobody made alike (" + alike +
			"), so nothing shows that it knew the others; look at webhooks.payment.body"}
	}
}
