package check

import (
	"fmt"
	"strings"
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

// retold is a webhook that is taken after the answer to a checkout that was sold.
func (s *story) retold(c string) *story { return s.link(c, harness.OpWebhook, 200, 32, 33) }

// bodyOfLast has the last call carry another body than all the others.
func (s *story) bodyOfLast(sum string) *story {
	s.events[len(s.events)-1].Call.BodySHA256 = sum
	return s
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
		judged{"refused for now, and taken after the answer", sold(503).retold("at-work").repeated("at-work"), harness.Pass},
		judged{"refused for now, taken later, and ordered again", sold(425).retold("at-work").repeated("at-work").effect("at-work", "order"), harness.Fail},
		judged{"refused for now, and never taken", sold(503).repeated("at-work"), harness.Inconclusive},
		judged{"refused for good, and another one was taken", sold(404).retold("at-work").repeated("at-work"), harness.Inconclusive},
		judged{"refused for now, and taken after the repeat", sold(503).send("at-work", keyK, created).success("at-work").retold("at-work"), harness.Inconclusive},
		judged{"refused for now, and what was taken later is another", sold(503).retold("at-work").bodyOfLast("other").repeated("at-work"), harness.Inconclusive},
		judged{"another case was told", sold(202).send("other", keyK, created).success("other").repeated("at-work"), harness.Inconclusive},
	)
	judgeAll(t, Told(every, ToldAtWork(All(), 2)),
		judged{"twice at once", sold(200, 202).repeated("at-work"), harness.Pass},
		judged{"twice of three at once", sold(200, 503, 202).repeated("at-work"), harness.Pass},
		judged{"once", sold(200).repeated("at-work"), harness.Inconclusive},
		judged{"one of two was refused", sold(200, 409).repeated("at-work"), harness.Inconclusive},
		judged{"one of two wanted to be told again, and was", sold(200, 409).retold("at-work").repeated("at-work"), harness.Pass},
		judged{"both wanted to be told again, and one was", sold(429, 409).retold("at-work").repeated("at-work"), harness.Inconclusive},
		judged{"both wanted to be told again, and were", sold(429, 409).retold("at-work").retold("at-work").repeated("at-work"), harness.Pass},
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

func TestToldUnknownTwice(t *testing.T) {
	pending := harness.Answer{Status: 202, Code: "CHECKOUT_PENDING", RequestID: "r1"}
	unknown := func(webhooks ...[3]int) *story {
		s := newStory().send("twice-unknown", keyK, pending)
		for _, w := range webhooks {
			s.link("twice-unknown", harness.OpWebhook, w[0], w[1], w[2])
		}
		return s
	}
	judgeAll(t, Told(OneOfEach(All()), ToldUnknown(All(), 2)),
		judged{"two at once", unknown([3]int{202, 5, 8}, [3]int{202, 6, 9}).repeated("twice-unknown"), harness.Pass},
		judged{"two at once, and ordered twice", unknown([3]int{202, 5, 8}, [3]int{202, 6, 9}).repeated("twice-unknown").effect("twice-unknown", "order"), harness.Fail},
		judged{"one", unknown([3]int{202, 5, 8}).repeated("twice-unknown"), harness.Inconclusive},
		judged{"two, one after the other", unknown([3]int{202, 5, 8}, [3]int{202, 9, 10}).repeated("twice-unknown"), harness.Inconclusive},
		judged{"one of two was refused", unknown([3]int{202, 5, 8}, [3]int{500, 6, 9}).repeated("twice-unknown"), harness.Inconclusive},
		judged{"one of two wanted to be told again, and was", unknown([3]int{202, 5, 8}, [3]int{409, 6, 9}, [3]int{200, 20, 21}).repeated("twice-unknown"), harness.Pass},
	)
}

// TestCopiesThatMissedEachOther: two that went out together prove nothing of what two
// at once do if they were answered one by one, or if one was refused.
func TestCopiesThatMissedEachOther(t *testing.T) {
	judgeAll(t, Told(OneOfEach(All()), ToldAtWork(All(), 2)),
		judged{"one after the other", sold(200).link("at-work", harness.OpWebhook, 200, 25, 27).repeated("at-work"), harness.Inconclusive},
		judged{"one was refused", sold(200, 401).repeated("at-work"), harness.Inconclusive},
	)
}

// TestWhereToLook: a target that does not take a webhook for its provider's says so
// by its status; one that has trouble of its own is not about the profile.
func TestWhereToLook(t *testing.T) {
	for status, told := range map[int]bool{401: true, 403: true, 404: true, 405: true, 400: false, 500: false, 503: false} {
		s := sold(status).repeated("at-work")
		v := Told(OneOfEach(All()), ToldAtWork(All(), 1))(s.history())
		if got := strings.Contains(v.Reason, "have to be the provider's (webhooks.payment)"); got != told || !strings.Contains(v.Reason, fmt.Sprint("answered ", status)) {
			t.Errorf("%d: %s", status, v.Reason)
		}
	}
}

func TestToldEnded(t *testing.T) {
	judgeAll(t, Told(OneOfEach(All()), ToldEnded(All(), 1)),
		judged{"told after the end", newStory().send("ended", keyK, created).link("ended", harness.OpWebhook, 200, 5, 6).repeated("ended"), harness.Pass},
		judged{"told after the end, and charged again", newStory().send("ended", keyK, created).link("ended", harness.OpWebhook, 200, 5, 6).repeated("ended").effect("ended", "charge"), harness.Fail},
		judged{"told before the end", newStory().link("ended", harness.OpWebhook, 200, 1, 1).send("ended", keyK, created).repeated("ended"), harness.Inconclusive},
		judged{"not told", newStory().send("ended", keyK, created).repeated("ended"), harness.Inconclusive},
	)
}
