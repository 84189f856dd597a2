package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// AcrossInstances judges further only where requests of one case of the pick were
// in flight together at two instances: what one process keeps to itself shows in
// no other way.
func AcrossInstances(pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		met := metAcross(h, pick)
		if met == 0 {
			return harness.Undecided("in no case were requests in flight together at two instances")
		}
		v.Reason += fmt.Sprintf("; in %s requests were in flight together at two instances", several(met, "case"))
		return v
	}
}

// metAcross counts the cases in which exchanges with two instances overlapped.
func metAcross(h *harness.History, pick Pick) int {
	type flight struct {
		window
		instance int
	}
	flights, met := map[string][]flight{}, map[string]bool{}
	for e := range h.Events() {
		if e.Type != harness.CallEvent || e.Call.Link != harness.LinkClient || e.Call.Forwarded == 0 || !pick.accepts(h, e.Case) {
			continue
		}
		f := flight{window{e.Call.Forwarded, max(e.Call.Answered, e.Call.Forwarded)}, e.Call.Instance}
		for _, other := range flights[e.Case] {
			if other.instance != f.instance && f.from < other.to && other.from < f.to {
				met[e.Case] = true
			}
		}
		flights[e.Case] = append(flights[e.Case], f)
	}
	return len(met)
}

// NoServerError judges that no request of the pick is answered as if the target
// had failed: nothing was wrong, somebody else was faster.
func NoServerError(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		n := 0
		for _, a := range keyed(attempts(h, pick)) {
			if !a.answered() {
				continue
			}
			n++
			if a.Done.Answer.Status >= 500 {
				return harness.Failed("no answer of 500 and above: the key is in use, which is no failure", statusText(a), a.witness())
			}
		}
		if n == 0 {
			return harness.Undecided("no keyed request was answered")
		}
		return harness.Passed(fmt.Sprintf("%s, none of 500 and above", several(n, "answer")))
	}
}
