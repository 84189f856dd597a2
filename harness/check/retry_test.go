package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

const (
	before = "payment/charge#1:before-forward:status(503)"
	after  = "payment/charge#1:after-commit:reset"
	second = "payment/charge#2:before-forward:status(503)"
)

func TestRetriedExactly(t *testing.T) {
	// run plans the faults, makes the calls, and answers.
	run := func(answer harness.Answer, faults []string, calls ...func(*story)) *story {
		s := newStory()
		for _, f := range faults {
			s.plan("a", f)
		}
		op := s.invoke("a", keyK)
		for _, c := range calls {
			c(s)
		}
		return s.answer(op, answer)
	}
	faulted := func(f string) func(*story) { return func(s *story) { s.charge("a", "p", f, 0) } }
	plain := func(s *story) { s.charge("a", "p", "", 201) }
	query := func(s *story) {
		s.call("a", harness.Call{Link: "payment", Operation: "query", Method: "GET", Path: "/charges"})
	}
	judgeAll(t, RetriedExactly(All()),
		judged{"one fault, two calls", run(created, []string{before}, faulted(before), plain), harness.Pass},
		judged{"two faults, three calls", run(created, []string{before, second}, faulted(before), faulted(second), plain), harness.Pass},
		judged{"not retried", run(harness.Answer{Status: 503}, []string{before}, faulted(before)), harness.Fail},
		judged{"not retried, only repeated by the caller", run(harness.Answer{Status: 503}, []string{before}, faulted(before)).charge("a", "p", "", 201).send("a", keyKFinal, created), harness.Fail},
		judged{"retried too often", run(created, []string{before}, faulted(before), plain, plain), harness.Fail},
		judged{"retried, yet no success", run(harness.Answer{Status: 503}, []string{before}, faulted(before), plain), harness.Fail},
		judged{"a query after a commit stands in", run(created, []string{after}, faulted(after), query), harness.Pass},
		judged{"a query does not stand in before a commit", run(created, []string{before}, faulted(before), query), harness.Fail},
		judged{"neither query nor call after a commit", run(created, []string{after}, faulted(after)), harness.Fail},
		judged{"the fault never fired", run(created, []string{before}, plain), harness.Inconclusive},
		judged{"no fault planned", run(created, nil, plain), harness.Inconclusive},
		judged{"a case without a plan", run(created, []string{before}, faulted(before), plain).send("b", keyK, created), harness.Inconclusive},
		judged{"the request never ended", func() *story {
			s := newStory().plan("a", before)
			s.invoke("a", keyK)
			return s.charge("a", "p", before, 0)
		}(), harness.Inconclusive},
	)
}

func TestUnknownOutcomeResolved(t *testing.T) {
	lost := func() *story { return newStory().plan("a", after).charge("a", "p", after, 0) }
	judgeAll(t, UnknownOutcomeResolved(All()),
		judged{"same key again", lost().charge("a", "p", "", 201).send("a", keyK, created).success("a"), harness.Pass},
		judged{"queried", lost().call("a", harness.Call{Link: "payment", Operation: "query"}).send("a", keyK, created).success("a"), harness.Pass},
		judged{"a new key", lost().charge("a", "q", "", 201).send("a", keyK, created).success("a"), harness.Fail},
		judged{"no key", newStory().charge("a", "", after, 0).charge("a", "", "", 201).send("a", keyK, created).success("a"), harness.Fail},
		judged{"two charges in the ledger", lost().charge("a", "p", "", 201).send("a", keyK, created).success("a").effect("a", "charge"), harness.Fail},
		judged{"nothing was lost", newStory().charge("a", "p", "", 201).send("a", keyK, created).success("a"), harness.Inconclusive},
		judged{"lost and left alone", lost().send("a", keyK, created).success("a"), harness.Inconclusive},
	)
}

func TestProviderKeys(t *testing.T) {
	order := func(s *story, c, key string) *story {
		return s.call(c, harness.Call{Link: "orders", Operation: "create", Key: key})
	}
	client := harness.Request{Keys: []string{"client-key"}}
	judgeAll(t, ProviderKeys(All()),
		judged{"stable and distinct", order(newStory().send("a", client, created).charge("a", "p1", before, 0).charge("a", "p1", "", 201), "a", "o1").charge("b", "p2", "", 201), harness.Pass},
		judged{"another key on retry", newStory().charge("a", "p1", before, 0).charge("a", "p2", "", 201).charge("b", "p3", "", 201), harness.Fail},
		judged{"one key for two checkouts", newStory().charge("a", "p1", before, 0).charge("a", "p1", "", 201).charge("b", "p1", "", 201), harness.Fail},
		judged{"one key for two operations", order(newStory().charge("a", "p1", before, 0).charge("a", "p1", "", 201), "a", "p1").charge("b", "p2", "", 201), harness.Fail},
		judged{"the caller's key", newStory().send("a", client, created).charge("a", "client-key", before, 0).charge("a", "client-key", "", 201).charge("b", "p2", "", 201), harness.Fail},
		judged{"the caller's key inside", newStory().send("a", client, created).charge("a", "charge:client-key", before, 0).charge("a", "charge:client-key", "", 201).charge("b", "p2", "", 201), harness.Fail},
		judged{"no key", newStory().charge("a", "", "", 201).charge("b", "p2", "", 201), harness.Fail},
		judged{"one checkout only", newStory().charge("a", "p1", "", 201).charge("a", "p1", "", 201), harness.Inconclusive},
		judged{"nothing attempted twice", newStory().charge("a", "p1", "", 201).charge("b", "p2", "", 201), harness.Inconclusive},
	)
}
