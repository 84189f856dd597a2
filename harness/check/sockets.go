package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// SocketsBack judges that the client's process holds as many sockets after the
// calls of a case as before them, and not more than spare beyond. Dials that
// hang are seen by nobody but the client itself. Fewer calls than least show no
// leak.
func SocketsBack(pick Pick, least, spare int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		calls := map[string]int{}
		for _, a := range attempts(h, pick) {
			if a.Done.Seq != 0 {
				calls[a.Invoke.Case]++
			}
		}
		first, last := map[string]harness.Event{}, map[string]harness.Event{}
		for e := range h.Events() {
			if e.Type != harness.MarkEvent || e.Mark.Name != harness.MarkSockets || !pick.accepts(h, e.Case) {
				continue
			}
			if _, seen := first[e.Case]; !seen {
				first[e.Case] = e
			}
			last[e.Case] = e
		}
		if len(first) == 0 {
			return harness.Undecided("nobody counted the client's sockets")
		}
		var verdicts []harness.Verdict
		for _, id := range slices.Sorted(maps.Keys(first)) {
			before := first[id]
			after, n := last[id], calls[id]
			from, to := before.Mark.Count["sockets"], after.Mark.Count["sockets"]
			what := fmt.Sprintf("%d sockets before %d calls, %d after", from, n, to)
			switch {
			case after.Seq == before.Seq:
				verdicts = append(verdicts, harness.Undecided("the client's sockets were counted once only", before.Seq))
			case to > from+int64(spare):
				verdicts = append(verdicts, harness.Failed(fmt.Sprintf("at most %d sockets more than before (case %s)", spare, label(h, id)), what, before.Seq, after.Seq))
			case n < least:
				verdicts = append(verdicts, harness.Undecided(fmt.Sprintf("%d calls were made, and a leak shows after %d", n, least), before.Seq, after.Seq))
			default:
				verdicts = append(verdicts, harness.Passed(what, before.Seq, after.Seq))
			}
		}
		return harness.Merge(verdicts...)
	}
}
