package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// What a measured time may differ from a limit without anybody being blamed.
const (
	// Early is rounding, and the time between what two processes call the start.
	Early = 50 * time.Millisecond
	// Cleanup is what the requirements grant after a limit for abort and close.
	Cleanup = 500 * time.Millisecond
)

// ConnectLimit is the limit of connecting. It is the end of a span, as are the
// other limits that a policy declares.
func ConnectLimit(p harness.ClientPolicy) time.Duration { return p.Connect.Std() }

// ReadLimit is the limit of one attempt.
func ReadLimit(p harness.ClientPolicy) time.Duration { return p.Read.Std() }

// TotalLimit is the limit of all attempts and waits together.
func TotalLimit(p harness.ClientPolicy) time.Duration { return p.Total.Std() }

// Around is the span of what has to end at a limit: no earlier, and no later
// than its cleanup takes.
func Around(limit func(harness.ClientPolicy) time.Duration) Span {
	s := UpTo(limit)
	s.From = func(p harness.ClientPolicy) time.Duration { return limit(p) - Early }
	return s
}

// UpTo is the span of what has to end by a limit.
func UpTo(limit func(harness.ClientPolicy) time.Duration) Span {
	return Span{To: func(p harness.ClientPolicy) time.Duration { return limit(p) + Cleanup }}
}

// Limit is a number that the requirements give a client or a checkout.
type Limit string

// The limits.
const (
	LimitConnect  Limit = "connect"
	LimitRead     Limit = "read"
	LimitTotal    Limit = "total"
	LimitRetries  Limit = "retries"
	LimitDeadline Limit = "deadline" // of a checkout
	LimitAttempts Limit = "attempts" // of a dependency operation of a checkout
)

// of returns the limit under a policy, as a number and as text.
func (l Limit) of(p harness.Policy) (n int64, text string) {
	switch l {
	case LimitRetries:
		return int64(p.Client.Retries), fmt.Sprint(p.Client.Retries)
	case LimitAttempts:
		return int64(p.Checkout.Attempts), fmt.Sprint(p.Checkout.Attempts)
	}
	d := map[Limit]harness.Duration{LimitConnect: p.Client.Connect, LimitRead: p.Client.Read, LimitTotal: p.Client.Total, LimitDeadline: p.Checkout.Deadline}[l]
	return int64(d), d.Std().String()
}

// NoLooser fails a target that declares a looser limit than the requirement
// gives it, whatever it does; a stricter one is its own affair. With
// requirements: own the declared one is judged, and the verdict says so.
func NoLooser(l Limit, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		declared, text := l.of(h.Header.Policy)
		required, wanted := l.of(h.Header.Required())
		if declared <= required || v.Outcome == harness.Fail {
			return v
		}
		how := fmt.Sprintf("a policy that declares %s %s", l, text)
		if h.Header.Requirements == "own" {
			if v.Outcome == harness.Pass {
				v.Reason += "; judged by " + how + " where the requirement says " + wanted + " (requirements: own)"
			}
			return v
		}
		var seqs []int64
		for _, a := range attempts(h, All()) {
			seqs = append(seqs, a.witness())
		}
		if len(seqs) == 0 {
			return v
		}
		return harness.Failed(fmt.Sprintf("%s %s or less, as the requirement says", l, wanted), how+" (requirements: own judges it)", seqs...)
	}
}

// Every judges by all of the judges: each has to pass.
func Every(judges ...func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		verdicts := make([]harness.Verdict, len(judges))
		reasons := make([]string, len(judges))
		for i, judge := range judges {
			verdicts[i] = judge(h)
			reasons[i] = verdicts[i].Reason
		}
		v := harness.Merge(verdicts...)
		if v.Outcome == harness.Pass {
			v.Reason = strings.Join(reasons, "; ")
			v.Witness = nil
			for _, one := range verdicts {
				v.Witness = append(v.Witness, one.Witness...)
			}
		}
		return v
	}
}
