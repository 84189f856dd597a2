package harness

import (
	"slices"
	"time"
)

// lateness keeps what the links carry when no history is open for it: calls of a
// case whose scenario has ended, and calls that belong to no case. Both are
// recorded with the aftermath, so that a charge in the background or one that
// hides behind a missing attribution is not out of sight.
type lateness struct {
	calls  []lateCall
	ended  time.Time // when the last scenario ended
	follow []func()  // ends the following of cases
}

type lateCall struct {
	caseID string // empty for a stray
	call   Call
}

// maxLate bounds what is kept: it is evidence of something wrong, and a few
// thousand show that as well as a million.
const maxLate = 5000

func (r *runState) late(caseID string, call Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lateness.calls) < maxLate {
		r.lateness.calls = append(r.lateness.calls, lateCall{caseID, call})
	}
}

// keepFollowing lets the journal tell about a case until the run ends.
func (r *runState) keepFollowing(stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lateness.follow = append(r.lateness.follow, stop)
}

// scenarioEnded notes the time from which the last scenario is being watched.
func (r *runState) scenarioEnded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lateness.ended = time.Now()
}

// endFollowing stops the journal and returns what it told late.
func (r *runState) endFollowing() []lateCall {
	r.mu.Lock()
	stops := r.lateness.follow
	r.lateness.follow = nil
	r.mu.Unlock()
	for _, stop := range stops { // without the lock: a call that is being told wants it
		stop()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lateness.calls)
}
