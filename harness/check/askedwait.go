package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// usual is the backoff that the requirements give a client which declares none.
func usual() harness.Backoff {
	return harness.Backoff{Base: harness.Duration(200 * time.Millisecond), Cap: harness.Duration(2 * time.Second), Jitter: "equal"}
}

// backoffOf returns the declared backoff, or the usual one.
func backoffOf(h *harness.History) (b harness.Backoff, declared bool) {
	if h.Header.Client == nil || h.Header.Client.Backoff.Base <= 0 {
		return usual(), false
	}
	return h.Header.Client.Backoff, true
}

// WaitsAsAsked judges that the second request of each case comes when its
// dependency asked for it: not before the least time after the first, and later
// than the most by no more than one wait of the client's own. From arrival to
// arrival, so that what the exchange takes never makes a wait look too short.
func WaitsAsAsked(pick Pick, least, most time.Duration) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict { return c.waitsAsAsked(h, least, most) })
}

// WaitsEachAsAsked judges that a client keeps to what each of its dependency's
// answers asks for, the n-th to the n-th wait, as far as it has attempts.
func WaitsEachAsAsked(pick Pick, asked ...time.Duration) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		asked := asked[:min(len(asked), h.Header.Policy.Client.Retries)]
		for i, wait := range asked {
			wanted := fmt.Sprintf("request %d %s or more after the one before it", i+2, seconds(wait))
			if len(c.sent) < i+2 {
				return c.fail(wanted, several(len(c.sent), "request")+", then "+outcomeOf(c))
			}
			if gap := c.sent[i+1].Call.Started - c.sent[i].Call.Started; gap < wait-Early {
				return c.fail(wanted, seconds(gap))
			}
		}
		return harness.Passed(several(len(asked), "wait")+" as they were asked for", c.witnesses()...)
	})
}

// dateLate is how long after a date was made the first request may come, so that
// the wait until then is still at least the least.
const dateLate = 250 * time.Millisecond

// WaitsForDate is [WaitsAsAsked] where the wait is asked for by a date that was made
// when the experiment began. It stays where it is while a busy machine delays the
// first request, so that much less may be left of the wait; what is shorter still
// is too early all the same.
func WaitsForDate(pick Pick, least, most time.Duration) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		v := c.waitsAsAsked(h, least, most)
		if v.Outcome != harness.Fail || len(c.sent) < 2 || c.sent[1].Call.Started-c.sent[0].Call.Started >= least {
			return v
		}
		gap, late := c.sent[1].Call.Started-c.sent[0].Call.Started, c.sent[0].Call.Started-began(h)
		if late > dateLate && gap >= least-(late-dateLate)-Early {
			return harness.TooBusy(fmt.Sprintf("the first request of case %s came %s after its date was made, so a second one %s later may have come in time",
				c.label, seconds(late), seconds(gap)), c.witnesses()...)
		}
		return v
	})
}

// began returns the time of the first event.
func began(h *harness.History) time.Duration {
	for e := range h.Events() {
		return e.At
	}
	return 0
}

func (c clientCase) waitsAsAsked(h *harness.History, least, most time.Duration) harness.Verdict {
	if v := fits(h, most); v.Reason != "" {
		return v
	}
	own, _ := backoffOf(h)
	latest := most + own.Cap.Std() + Cleanup
	wanted := fmt.Sprintf("a second request %s to %s after the first", seconds(least), seconds(latest))
	if len(c.sent) < 2 {
		return c.fail(wanted, several(len(c.sent), "request")+", then "+outcomeOf(c))
	}
	gap := c.sent[1].Call.Started - c.sent[0].Call.Started
	if gap < least-Early || gap > latest {
		return c.fail(wanted, seconds(gap))
	}
	return harness.Passed("the second request came "+seconds(gap)+" after the first", c.witnesses()...)
}

// LastsAsAsked judges that a call whose dependency asks for one long wait lasts
// as long, and then not longer than a second, or than a wait of the client's own
// if that is more, as its dependency saw it: what a gateway does besides is no wait.
func LastsAsAsked(pick Pick, asked time.Duration) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		if v := fits(h, asked); v.Reason != "" {
			return v
		}
		own, _ := backoffOf(h)
		_, wait := own.Bounds(1)
		latest := asked + max(time.Second, wait+Cleanup)
		last := c.last()
		d := took(last)
		if sent := c.during(last); d > latest && len(sent) > 0 {
			d = onWire(last, sent)
		}
		if d < asked-Early || d > latest {
			return c.fail("a call that lasts "+seconds(asked)+" to "+seconds(latest), seconds(d)+", then "+outcomeOf(c))
		}
		return harness.Passed("it lasted "+seconds(d), c.witnesses()...)
	})
}

// fits excludes what is said of a wait that the whole call has no time for.
func fits(h *harness.History, asked time.Duration) harness.Verdict {
	if total := h.Header.Policy.Client.Total.Std(); total < asked+time.Second {
		return harness.Inapplicable(fmt.Sprintf("a call may take %s in all, and the wait that is asked for takes %s of it", total, asked))
	}
	return harness.Verdict{}
}

// Fits judges only where the whole call has time for what is tried.
func Fits(needed func(harness.ClientPolicy) time.Duration, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		p := h.Header.Policy.Client
		if n := needed(p); n > p.Total.Std() && len(clientCases(h, All())) > 0 {
			return harness.Inapplicable(fmt.Sprintf("a call may take %s in all, and what is tried needs %s", p.Total.Std(), n))
		}
		return v
	}
}
