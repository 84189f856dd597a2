package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// link is a call on the client link, from one millisecond of the story to another:
// a story's events are a millisecond apart.
func (s *story) link(c, operation string, status, from, to int) *story {
	return s.add(harness.Event{Type: harness.CallEvent, Case: "t/s/" + c, Call: &harness.Call{
		Link: harness.LinkClient, Operation: operation, Upstream: status, Status: status,
		Started: time.Duration(from) * ms, Forwarded: time.Duration(from) * ms, Answered: time.Duration(to) * ms, Ended: time.Duration(to) * ms,
	}})
}

// sold is a checkout with one webhook for each of the statuses while it was at
// work, and a repeat.
func sold(statuses ...int) *story {
	s := newStory()
	op := s.invoke("at-work", keyK)
	for range statuses {
		s.mark("at-work", harness.MarkWebhook)
	}
	s.link("at-work", harness.OpCheckout, 201, 1, 30)
	for i, status := range statuses {
		s.link("at-work", harness.OpWebhook, status, 10+i, 20+i)
	}
	return s.answer(op, created)
}

// repeated ends a story: its request is sent again after everything, and made once.
func (s *story) repeated(c string) *story {
	for range 40 {
		s.mark(c, "time goes by")
	}
	return s.send(c, keyK, created).success(c)
}

func TestToldAtWork(t *testing.T) {
	every := OneOfEach(All())
	judgeAll(t, Told(every, ToldAtWork(All(), 1)),
		judged{"told, and made once", sold(202).repeated("at-work"), harness.Pass},
		judged{"told, and charged again", sold(202).repeated("at-work").effect("at-work", "charge"), harness.Fail},
		judged{"told, and ordered again", sold(202).repeated("at-work").effect("at-work", "order"), harness.Fail},
		judged{"not told, and charged again all the same", sold().repeated("at-work").effect("at-work", "charge"), harness.Fail},
		judged{"not told", sold().repeated("at-work"), harness.Inconclusive},
		judged{"refused", sold(401).repeated("at-work"), harness.Inconclusive},
		judged{"no answer", sold(0).repeated("at-work"), harness.Inconclusive},
		judged{"never repeated", sold(202).success("at-work"), harness.Inconclusive},
		judged{"told before", newStory().link("at-work", harness.OpWebhook, 200, 1, 2).link("at-work", harness.OpCheckout, 201, 3, 4).send("at-work", keyK, created).repeated("at-work"), harness.Inconclusive},
		judged{"told after", newStory().send("at-work", keyK, created).link("at-work", harness.OpCheckout, 201, 1, 2).link("at-work", harness.OpWebhook, 200, 3, 4).repeated("at-work"), harness.Inconclusive},
		judged{"another case was told", sold(202).send("other", keyK, created).success("other").repeated("at-work"), harness.Inconclusive},
	)
	judgeAll(t, Told(every, ToldAtWork(All(), 2)),
		judged{"twice at once", sold(200, 202).repeated("at-work"), harness.Pass},
		judged{"twice of three at once", sold(200, 503, 202).repeated("at-work"), harness.Pass},
		judged{"once", sold(200).repeated("at-work"), harness.Inconclusive},
		judged{"one of two was refused", sold(200, 409).repeated("at-work"), harness.Inconclusive},
		judged{"one after the other", sold(200).link("at-work", harness.OpWebhook, 200, 25, 27).repeated("at-work"), harness.Inconclusive},
	)
}

func TestToldUnknown(t *testing.T) {
	pending := harness.Answer{Status: 202, Code: "CHECKOUT_PENDING", RequestID: "r1"}
	judgeAll(t, Told(OneOfEach(All()), ToldUnknown(All(), 1)),
		judged{"told while it was unknown", newStory().send("unknown", keyK, pending).link("unknown", harness.OpWebhook, 202, 5, 6).repeated("unknown"), harness.Pass},
		judged{"told, and charged again", newStory().send("unknown", keyK, pending).link("unknown", harness.OpWebhook, 202, 5, 6).repeated("unknown").effect("unknown", "charge"), harness.Fail},
		judged{"told before the answer", newStory().link("unknown", harness.OpWebhook, 202, 1, 1).send("unknown", keyK, pending).repeated("unknown"), harness.Inconclusive},
		judged{"told when it was known", newStory().send("unknown", keyK, created).link("unknown", harness.OpWebhook, 202, 5, 6).repeated("unknown"), harness.Inconclusive},
		judged{"not told", newStory().send("unknown", keyK, pending).repeated("unknown"), harness.Inconclusive},
	)
}

func TestToldEnded(t *testing.T) {
	judgeAll(t, Told(OneOfEach(All()), ToldEnded(All(), 1)),
		judged{"told after the end", newStory().send("ended", keyK, created).link("ended", harness.OpWebhook, 200, 5, 6).repeated("ended"), harness.Pass},
		judged{"told after the end, and charged again", newStory().send("ended", keyK, created).link("ended", harness.OpWebhook, 200, 5, 6).repeated("ended").effect("ended", "charge"), harness.Fail},
		judged{"told before the end", newStory().link("ended", harness.OpWebhook, 200, 1, 1).send("ended", keyK, created).repeated("ended"), harness.Inconclusive},
		judged{"not told", newStory().send("ended", keyK, created).repeated("ended"), harness.Inconclusive},
	)
}
