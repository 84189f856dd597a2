package check

import (
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestEndsAtDeadline(t *testing.T) {
	busyUntil := func(at float64, a harness.Answer) *story {
		return newTimeline().keepsBusy("a").asks(0, "a").told(at, "a", a).story
	}
	loose := func(requirements string) *story {
		s := newTimeline()
		s.header.Policy.Checkout.Deadline, s.header.Requirements = harness.Duration(33*time.Second), requirements
		return s.keepsBusy("a").asks(0, "a").told(33, "a", pendingR1).story
	}
	scaled := func(at float64) *story {
		s := newTimeline().scaled(6).plans("a", "inventory/reserve#1:delay(2s)", "orders/create#1:delay(2s)", "payment/charge#1:delay(2s)", "payment/query#1:delay(2s)")
		return s.asks(0, "a").told(at, "a", pendingR1).story
	}
	judgeAll(t, EndsAtDeadline(All()),
		judged{"at the deadline", busyUntil(30, pendingR1), harness.Pass},
		judged{"within the cleanup", busyUntil(30.49, pendingR1), harness.Pass},
		judged{"after the cleanup", busyUntil(30.51, pendingR1), harness.Fail},
		judged{"no answer, and much later", newTimeline().keepsBusy("a").asks(0, "a").cut(35, "a").story, harness.Fail},
		judged{"no answer, and earlier", newTimeline().keepsBusy("a").asks(0, "a").cut(12, "a").story, harness.Inconclusive},
		judged{"the request never ended", newTimeline().keepsBusy("a").asks(0, "a").story, harness.Inconclusive},
		judged{"it ended by itself", busyUntil(18, pendingR1), harness.Inconclusive},
		judged{"a plan that ends before the deadline", newTimeline().plans("a", "inventory/reserve#1:delay(4s,503)", "payment/charge#*:stall").asks(0, "a").told(29, "a", pendingR1).story, harness.Inconclusive},
		judged{"attempts that nobody may make count for nothing", newTimeline().plans("a",
			"inventory/reserve#1:delay(9s)", "payment/charge#1:delay(9s)", "orders/create#1:delay(9s)", "payment/query#4:delay(9s)").asks(0, "a").told(30, "a", pendingR1).story, harness.Inconclusive},
		judged{"a looser deadline is a failure", loose("srs"), harness.Fail},
		judged{"unless the own numbers are judged", loose("own"), harness.Pass},
		judged{"with times divided", scaled(5.1), harness.Pass},
		judged{"with times divided, and later than a busy machine makes it", scaled(5.2), harness.Fail},
	)
	v := EndsAtDeadline(All())(busyUntil(35, created).history())
	if !strings.Contains(v.Observed, "35.000 s: status 201") || !strings.Contains(v.Expected, "30.500 s") {
		t.Errorf("the failure reads: expected %s, observed %s", v.Expected, v.Observed)
	}
}

func TestQuietAfterDeadline(t *testing.T) {
	held := func(then func(*timeline)) *story {
		s := newTimeline().asks(0, "held").paid(26, "held").told(30, "held", pendingR1)
		if then != nil {
			then(s)
		}
		return s.marked(60, "held", MarkDeadlineWatched).story
	}
	order := func(at float64) func(*timeline) {
		return func(s *timeline) {
			s.calls(at, "held", "orders", "create", harness.Call{Key: "o", Status: 201, Upstream: 201})
		}
	}
	unasked := func(key string) *story {
		s := newTimeline()
		s.header.Links[3].Operations = s.header.Links[3].Operations[:1] // nobody can ask
		s.asks(0, "held").paid(26, "held").told(30, "held", pendingR1)
		return s.calls(40, "held", "payment", "charge", harness.Call{Key: key, Upstream: 201}).marked(60, "held", MarkDeadlineWatched).story
	}
	unsaid := func(method string) *story {
		s := held(func(s *timeline) { s.calls(40, "held", "orders", "confirm", harness.Call{Method: method}) })
		s.header.Links[2].Operations = append(s.header.Links[2].Operations, harness.OperationInfo{Name: "confirm"}) // neither an effect nor a query
		return s
	}
	searched := held(func(s *timeline) { s.calls(40, "held", "payment", "query", harness.Call{}) })
	loose := func(requirements string) *story {
		s := newTimeline().asks(0, "held").paid(28, "held").told(33, "held", pendingR1).marked(66, "held", MarkDeadlineWatched).story
		s.header.Policy.Checkout.Deadline, s.header.Requirements = harness.Duration(33*time.Second), requirements
		return s
	}
	judgeAll(t, QuietAfterDeadline(Labelled("held"), Labelled("other")),
		judged{"nothing", held(nil), harness.Pass},
		judged{"queries", held(func(s *timeline) { s.calls(40, "held", "payment", "query", harness.Call{Method: "GET", Status: 503}) }), harness.Pass},
		judged{"an order after the answer", held(order(31)), harness.Fail},
		judged{"an order long after", held(order(59)), harness.Fail},
		judged{"an order when all can be found out again", func() *story {
			s := newTimeline().asks(0, "held").paid(26, "held").told(30, "held", pendingR1).marked(60, "held", MarkDeadlineWatched)
			order(61)(s)
			return s.story
		}(), harness.Pass},
		judged{"a POST whose effect nobody declared", unsaid("POST"), harness.Fail},
		judged{"a GET whose effect nobody declared", unsaid("GET"), harness.Pass},
		judged{"a query by POST", searched, harness.Pass},
		judged{"a looser deadline is a failure", loose("srs"), harness.Fail},
		judged{"unless the own numbers are judged", loose("own"), harness.Pass},
		judged{"a call that nobody declared", held(func(s *timeline) { s.calls(40, "held", "payment", "", harness.Call{}) }), harness.Fail},
		judged{"the payment again, though it can be asked for", held(func(s *timeline) { s.paid(40, "held") }), harness.Fail},
		judged{"the payment again under its key, where it cannot be asked for", unasked("p"), harness.Pass},
		judged{"another payment, where it cannot be asked for", unasked("q"), harness.Fail},
		judged{"watched for too short a time", newTimeline().asks(0, "held").told(30, "held", pendingR1).marked(50, "held", MarkDeadlineWatched).story, harness.Inconclusive},
		judged{"not watched", newTimeline().asks(0, "held").told(30, "held", pendingR1).story, harness.Inconclusive},
		judged{"no answer", newTimeline().asks(0, "held").cut(30, "held").marked(60, "held", MarkDeadlineWatched).story, harness.Inconclusive},
		judged{"the deadline was not reached", newTimeline().asks(0, "held").told(1, "held", unavailableR1).marked(60, "held", MarkDeadlineWatched).story, harness.Inconclusive},
		judged{"a retry after a final answer", newTimeline().asks(0, "held").told(1, "held", unavailableR1).
			calls(2, "held", "orders", "create", harness.Call{Status: 503}).marked(60, "held", MarkDeadlineWatched).story, harness.Fail},
		judged{"a call after the deadline within a request", newTimeline().asks(0, "other").calls(30.2, "other", "orders", "create", harness.Call{}).told(34, "other", created).story, harness.Fail},
		judged{"a stray in the time that matters", held(func(s *timeline) {
			s.add(harness.Event{Type: harness.CallEvent, Call: &harness.Call{Link: "orders", Method: "POST", Path: "/orders", Started: 40 * time.Second}})
			s.last(40)
		}), harness.Inconclusive},
	)
}

func TestPendingThenSucceeded(t *testing.T) {
	left := func(a harness.Answer, states ...string) *story {
		s := newTimeline().asks(0, "a").paid(26, "a").told(30, "a", a)
		for i, state := range states {
			s.reads(30.1+float64(i), "a", state)
		}
		return s.story
	}
	unasked, unspoken := left(pendingR1, "PENDING", "SUCCEEDED"), left(pendingR1, "PENDING", "SUCCEEDED")
	unasked.header.Links[3].Operations = unasked.header.Links[3].Operations[:1]
	unspoken.header.Dialect.Pending = harness.Refusal{}
	judgeAll(t, PendingThenSucceeded(All()),
		judged{"pending, then succeeded", left(pendingR1, "PENDING", "PENDING", "SUCCEEDED"), harness.Pass},
		judged{"given up", left(unavailableR1, "FAILED_RETRYABLE"), harness.Fail},
		judged{"answered pending, kept as something else", left(pendingR1, "FAILED_RETRYABLE"), harness.Fail},
		judged{"pending for ever", left(pendingR1, "PENDING", "PENDING"), harness.Fail},
		judged{"nobody looked", left(pendingR1), harness.Inconclusive},
		judged{"no payment was lost", newTimeline().asks(0, "a").told(30, "a", pendingR1).reads(31, "a", "PENDING").reads(32, "a", "SUCCEEDED").story, harness.Inconclusive},
		judged{"lost before it was made", newTimeline().asks(0, "a").calls(26, "a", "payment", "charge", harness.Call{Fault: "f"}).told(30, "a", unavailableR1).story, harness.Inconclusive},
		judged{"the provider cannot be asked", unasked, harness.Inconclusive},
		judged{"it ended before its deadline", newTimeline().asks(0, "a").paid(5, "a").told(10, "a", unavailableR1).story, harness.Inconclusive},
		judged{"its deadline did not end it", newTimeline().asks(0, "a").paid(26, "a").told(35, "a", created).story, harness.Inconclusive},
		judged{"no answer", newTimeline().asks(0, "a").paid(26, "a").cut(30, "a").story, harness.Inconclusive},
		judged{"a dialect without a word for it", unspoken, harness.NotApplicable},
	)
}

func TestLeftRetryable(t *testing.T) {
	transferred := func() *timeline {
		return newTimeline().asks(0, "a").calls(0.1, "a", "bank", "transfer", harness.Call{Fault: "bank/transfer#1:after-commit:stall", Upstream: 201})
	}
	nameless := unavailableR1
	nameless.RequestID = ""
	located := nameless
	located.Header = map[string][]string{"Location": {"/checkout/r1"}}
	judgeAll(t, LeftRetryable(All()),
		judged{"failed, and to be looked at", transferred().told(5.2, "a", unavailableR1).reads(5.3, "a", "FAILED_RETRYABLE").story, harness.Pass},
		judged{"under a Location", transferred().told(5.2, "a", located).reads(5.3, "a", "FAILED_RETRYABLE").story, harness.Pass},
		judged{"left pending", transferred().told(5.2, "a", pendingR1).reads(5.3, "a", "PENDING").story, harness.Fail},
		judged{"taken for a success", transferred().told(5.2, "a", created).story, harness.Fail},
		judged{"without a handle", transferred().told(5.2, "a", nameless).story, harness.Fail},
		judged{"kept as final", transferred().told(5.2, "a", unavailableR1).reads(5.3, "a", "FAILED_FINAL").story, harness.Fail},
		judged{"not to be found", func() *story {
			s := transferred().told(5.2, "a", unavailableR1)
			s.send("a", statusRead, notFound)
			return s.last(5.3).story
		}(), harness.Fail},
		judged{"nobody looked", transferred().told(5.2, "a", unavailableR1).story, harness.Inconclusive},
		judged{"no answer", transferred().cut(5.2, "a").story, harness.Inconclusive},
		judged{"nothing was lost", newTimeline().asks(0, "a").told(1, "a", unavailableR1).story, harness.Inconclusive},
		judged{"a provider that takes keys", newTimeline().asks(0, "a").paid(1, "a").told(5.2, "a", unavailableR1).story, harness.Inconclusive},
	)
}
