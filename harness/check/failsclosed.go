package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkStoreDown and MarkStoreUp bound, for a case, the time in which the target's
// store cannot be used as it should be.
const (
	MarkStoreDown = "store-down"
	MarkStoreUp   = "store-up"
)

// StoreDownUnnamed excludes what is said of a store that is down, where the dialect
// does not say what it looks like.
func StoreDownUnnamed(d harness.Dialect) string {
	if len(d.StoreDown.Statuses) == 0 {
		return "the dialect does not say how a request is answered while the store is down (storeDown)"
	}
	return ""
}

// FailsClosed judges that what is asked while the store cannot be used is answered
// as unavailable, and reaches no dependency. Where the store is only slow, a target
// that waits for it may succeed.
func FailsClosed(pick Pick, mayWait bool) func(*harness.History) harness.Verdict {
	return Unless(StoreDownUnnamed, func(h *harness.History) harness.Verdict {
		downs, ups := marks(h, MarkStoreDown), marks(h, MarkStoreUp)
		links, refused, waited := downstreamOf(h), 0, 0
		for _, a := range keyed(attempts(h, pick)) {
			id := a.Invoke.Case
			down, began := downs[id]
			up, ended := ups[id]
			if !began || !ended {
				return harness.Undecided("the store was not known to be down in case " + label(h, id))
			}
			if a.Invoke.Seq < down.Seq || a.Invoke.Seq > up.Seq {
				continue
			}
			want := h.Header.Dialect.StoreDown
			if mayWait && a.class(h) == harness.ClassSuccess {
				waited++
				continue
			}
			if !a.answered() || !want.Matches(*a.Done.Answer) {
				return harness.Failed(fmt.Sprintf("status %v %s while the store is %s (case %s)", want.Statuses, want.Code, down.Mark.Detail, label(h, id)), statusText(a), down.Seq, a.witness())
			}
			w := window{a.Invoke.At, up.At}
			for _, c := range links.calls[id] {
				if c.Call.Started >= w.from && c.Call.Started <= w.to {
					return harness.Failed(fmt.Sprintf("no dependency call while the store is %s (case %s)", down.Mark.Detail, label(h, id)), callText(c), down.Seq, c.Seq, a.witness())
				}
			}
			if v := links.hidden(w, a.witness()); v.Outcome != harness.Pass {
				return v
			}
			refused++
		}
		if refused+waited == 0 {
			return harness.Undecided("nothing was asked while the store was down")
		}
		return harness.Passed(fmt.Sprintf("%s refused without a dependency call, %d answered with a success after all", several(refused, "request"), waited))
	})
}
