package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// DependencyWaitsAsAsked judges that where a dependency asks for a wait that fits
// into the deadline, the next attempt comes when that is over: no earlier, and
// later by no more than one wait of the target's own. From arrival to arrival, so
// that what an exchange takes never makes a wait look too short.
func DependencyWaitsAsAsked(pick Pick, asked time.Duration) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		latest := asked + usual().Cap.Std() + Cleanup
		return eachPlan(h, pick, func(p *faultPlan, id string, first attempt, made []harness.Event) harness.Verdict {
			what := fmt.Sprintf("a second call of %s/%s %s to %s after the first (case %s)", p.link, p.operation, seconds(asked), seconds(latest), label(h, id))
			seqs := append(seqsOf(made), first.witness())
			if v := fits(h, asked); v.Reason != "" {
				return v
			}
			if len(made) < 2 {
				return harness.Failed(what, "none, then "+statusText(first), seqs...)
			}
			if gap := made[1].Call.Started - made[0].Call.Started; gap < asked-Early || gap > latest {
				return harness.Failed(what, seconds(gap), seqs...)
			}
			return harness.Passed("it came when it was asked for")
		})
	}
}

// NotBeforeAsked judges that a request whose dependency asks for a longer wait
// than the deadline leaves is not repeated in it.
func NotBeforeAsked(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		return eachPlan(h, pick, func(p *faultPlan, id string, first attempt, made []harness.Event) harness.Verdict {
			if len(made) > 1 {
				return harness.Failed(fmt.Sprintf("no further call of %s/%s before the time that it asked for, which is beyond the deadline (case %s)", p.link, p.operation, label(h, id)),
					fmt.Sprintf("one %s after the first, then %s", seconds(made[1].Call.Started-made[0].Call.Started), statusText(first)), append(seqsOf(made), first.witness())...)
			}
			return harness.Passed("not repeated")
		})
	}
}

// eachPlan judges the calls that each planned operation got before its request was
// answered; what the target does later is another round's.
func eachPlan(h *harness.History, pick Pick, judge func(p *faultPlan, id string, first attempt, made []harness.Event) harness.Verdict) harness.Verdict {
	plans, order, err := faultPlans(h, pick)
	if err != nil {
		return harness.Undecided(err.Error())
	}
	firsts, down := firstByCase(h, pick), downstreamOf(h)
	for _, id := range order {
		p, first := plans[id], firsts[id]
		if first.Done.Seq == 0 {
			return harness.Undecided("the request of case "+label(h, id)+" never ended", first.Invoke.Seq)
		}
		w := down.window(first)
		w.to = min(w.to, first.Done.At)
		made := within(down.calls[id], w, p.link, p.operation)
		if len(made) == 0 || made[0].Call.Fault == "" {
			return harness.Undecided(fmt.Sprintf("no fault fired on %s/%s in case %s: the target never called it", p.link, p.operation, label(h, id)), first.witness())
		}
		if v := judge(p, id, first, made); v.Outcome != harness.Pass {
			return v
		}
	}
	if len(order) == 0 {
		return harness.Undecided("no dependency fault was planned")
	}
	return harness.Passed(fmt.Sprintf("%d requests (%s), each as it has to be", len(order), targets(plans)))
}
