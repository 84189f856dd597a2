package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Moment is when a provider's webhook was to reach the target, and how often at
// once at least.
type Moment struct {
	pick   Pick
	copies int
	name   string
	// met reports whether a webhook came at that moment of its case.
	met func(h *harness.History, list []attempt, at []harness.Event, webhook harness.Call) bool
}

// ToldAtWork is while the request is at the target and has no answer yet.
func ToldAtWork(pick Pick, copies int) Moment {
	return Moment{pick, copies, "while the request was at work", func(_ *harness.History, _ []attempt, at []harness.Event, webhook harness.Call) bool {
		for _, e := range at {
			if c := e.Call; c.Operation == harness.OpCheckout && c.Forwarded > 0 && c.Forwarded <= webhook.Forwarded && webhook.Forwarded < back(*c) {
				return true
			}
		}
		return false
	}}
}

// ToldUnknown is after an answer that left the outcome open, and before any that
// told it.
func ToldUnknown(pick Pick, copies int) Moment {
	return Moment{pick, copies, "while the outcome was unknown", func(h *harness.History, list []attempt, _ []harness.Event, webhook harness.Call) bool {
		known, end := firstTerminal(h, list)
		return list[0].Done.Seq != 0 && list[0].Done.At <= webhook.Forwarded && (!known || webhook.Forwarded < end)
	}}
}

// ToldEnded is after the answer that told the outcome.
func ToldEnded(pick Pick, copies int) Moment {
	return Moment{pick, copies, "after the request had ended", func(h *harness.History, list []attempt, _ []harness.Event, webhook harness.Call) bool {
		known, end := firstTerminal(h, list)
		return known && end <= webhook.Forwarded
	}}
}

// Told judges further only where the target took the provider's word in each case
// at its moment, and each request was repeated after that: a target that was not
// told, or did not listen, can do nothing wrong by it. Who is at work may ask to be
// told again later, and is then. A failure stands whatever the target was told.
func Told(judge func(*harness.History) harness.Verdict, moments ...Moment) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		for _, m := range moments {
			if problem := m.missed(h); problem.Outcome != harness.Pass {
				return problem
			}
		}
		return v
	}
}

// missed returns a pass if the moment was met in every case of its pick.
func (m Moment) missed(h *harness.History) harness.Verdict {
	list, webhooks := map[string][]attempt{}, map[string][]harness.Event{}
	for _, a := range keyed(attempts(h, m.pick)) {
		list[a.Invoke.Case] = append(list[a.Invoke.Case], a)
	}
	for e := range h.Events() {
		if e.Type == harness.CallEvent && e.Call.Link == harness.LinkClient && m.pick.accepts(h, e.Case) {
			webhooks[e.Case] = append(webhooks[e.Case], e)
		}
	}
	if len(list) == 0 {
		return harness.Undecided("no keyed request was sent that a webhook could be about")
	}
	for _, id := range sortedNames(list) {
		if v := m.missedIn(h, id, list[id], webhooks[id]); v.Outcome != harness.Pass {
			return v
		}
	}
	return harness.Passed("every webhook was taken " + m.name)
}

func (m Moment) missedIn(h *harness.History, id string, list []attempt, at []harness.Event) harness.Verdict {
	sent, taken, last := 0, []harness.Event{}, time.Duration(0)
	refused, again := "", map[int64]bool{}
	for _, e := range at {
		c := e.Call
		if c.Operation != harness.OpWebhook {
			continue
		}
		sent++
		met := m.met(h, list, at, *c)
		later, retold := takenLater(at, *c, again)
		switch {
		case acknowledged(*c) && met:
			taken, last = append(taken, e), max(last, back(*c))
		case acknowledged(*c): // at another moment, which is no refusal
		case met && harness.AsksAgain(c.Upstream) && retold:
			again[later.Seq] = true
			taken, last = append(taken, e), max(last, back(*later.Call))
		default:
			refused = refusal(c.Upstream)
		}
	}
	together := 0
	for _, e := range taken {
		n := 0
		for _, other := range taken {
			if other.Call.Forwarded <= e.Call.Forwarded && e.Call.Forwarded < back(*other.Call) {
				n++
			}
		}
		together = max(together, n)
	}
	var seqs []int64
	for _, e := range at {
		seqs = append(seqs, e.Seq)
	}
	met := fmt.Sprintf("%d of %d webhook(s) of case %s taken %s, %d of them at once, wanted %d%s", len(taken), sent, label(h, id), m.name, together, m.copies, refused)
	switch {
	case together < m.copies: // too few were taken, or those went out together and were answered one by one
		return harness.Undecided(met, seqs...)
	case list[len(list)-1].Invoke.At <= last:
		return harness.Undecided("the request of case "+label(h, id)+" was not repeated after its webhook", seqs...)
	}
	return harness.Passed("")
}

// acknowledged reports whether the target needs no more of a webhook.
func acknowledged(c harness.Call) bool { return c.Upstream >= 200 && c.Upstream <= 299 }

// takenLater returns where the target took what it wanted to be told again: the
// same webhook, after that, and for no other copy of it.
func takenLater(at []harness.Event, asked harness.Call, used map[int64]bool) (harness.Event, bool) {
	for _, e := range at {
		if c := e.Call; c.Operation == harness.OpWebhook && acknowledged(*c) && !used[e.Seq] && c.BodySHA256 == asked.BodySHA256 && c.Forwarded >= back(asked) {
			return e, true
		}
	}
	return harness.Event{}, false
}

// refusal says how a webhook was refused, and where to look if the target did not
// see in it one of its provider's.
func refusal(status int) string {
	text := fmt.Sprintf("; one was answered %d", status)
	switch status {
	case 401, 403, 404, 405:
		text += "; the path, the body and the signature have to be the provider's (webhooks.payment)"
	}
	return text
}

// firstTerminal returns when a terminal answer first told the outcome.
func firstTerminal(h *harness.History, list []attempt) (known bool, at time.Duration) {
	for _, a := range list {
		if a.class(h).Terminal() && (!known || a.Done.At < at) {
			known, at = true, a.Done.At
		}
	}
	return known, at
}

// back is when the answer to a call was there.
func back(c harness.Call) time.Duration {
	if c.Answered > 0 {
		return c.Answered
	}
	return c.Ended
}
