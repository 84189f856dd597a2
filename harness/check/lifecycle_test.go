package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// look is a status read that shows the state, and when it changed last.
func (s *story) look(c, state, updatedAt string) *story {
	return s.send(c, statusRead, harness.Answer{Status: 200, State: state, RequestID: "r1", UpdatedAt: updatedAt})
}

// lookAt is one between two moments, that shows a count of attempts.
func (s *story) lookAt(c string, from, to time.Duration, count *int) *story {
	op := s.invoke(c, statusRead)
	s.at(from)
	return s.answer(op, harness.Answer{Status: 200, State: "PENDING", RequestID: "r1", AttemptCount: count}).at(to)
}

func TestAttemptsPersisted(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	count := func(n int) *int { return &n }
	run := func(counts ...*int) *story {
		s := newStory()
		for i := range 3 {
			began := ms(1000 * i)
			s.callAt("a", harness.Call{Link: "payment", Operation: "charge", Status: 503, Started: began, Ended: began + ms(10)})
		}
		for i, n := range counts {
			s.lookAt("a", ms(1000*i+400), ms(1000*i+410), n)
		}
		return s
	}
	judgeAll(t, AttemptsPersisted(All()),
		judged{"it rises", run(count(1), count(2)), harness.Pass},
		judged{"others count as well", run(count(4), count(6)), harness.Pass},
		judged{"it stays behind", run(count(1), count(1)), harness.Fail},
		judged{"nothing is written down", run(count(0)), harness.Fail},
		judged{"it falls", run(count(7), count(6)), harness.Fail},
		judged{"one wait only", run(count(1)), harness.Inconclusive},
		judged{"no count", run(nil, nil), harness.Inconclusive},
		judged{"read while a call was under way", newStory().callAt("a", harness.Call{Link: "payment", Operation: "charge", Status: 503, Started: 0, Ended: ms(900)}).
			lookAt("a", ms(400), ms(410), count(0)), harness.Inconclusive},
	)
}

func TestStatesClosed(t *testing.T) {
	helpless := newStory().look("a", "SUCCEEDED", "")
	helpless.header.Capabilities = []harness.Capability{harness.CapCheckout, harness.CapStatus}
	judgeAll(t, StatesClosed(All()),
		judged{"all four", newStory().look("a", "SUCCEEDED", "").look("b", "FAILED_FINAL", "").look("c", "PENDING", "").look("d", "FAILED_RETRYABLE", ""), harness.Pass},
		judged{"one of its own", newStory().look("a", "SUCCEEDED", "").look("b", "FAILED_FINAL", "").look("c", "PROCESSING", ""), harness.Fail},
		judged{"one of its own in an answer", newStory().look("a", "SUCCEEDED", "").look("b", "FAILED_FINAL", "").send("c", keyK, harness.Answer{Status: 202, State: "QUEUED"}), harness.Fail},
		judged{"none in a read", newStory().look("a", "SUCCEEDED", "").look("b", "FAILED_FINAL", "").look("c", "", ""), harness.Fail},
		judged{"successes only", newStory().look("a", "SUCCEEDED", ""), harness.Inconclusive},
		judged{"successes only, and nothing else can be had", helpless, harness.NotVerified},
	)
}

func TestStateAbsorbing(t *testing.T) {
	start := func() *story {
		s := newStory()
		s.header.Capabilities = append(s.header.Capabilities, harness.CapDecline)
		return s
	}
	kept := func() *story {
		s := start().look("a", "PENDING", "2026-01-01T00:00:00Z")
		for range 3 {
			s.look("a", "SUCCEEDED", "2026-01-01T00:00:01Z").look("b", "FAILED_FINAL", "2026-01-01T00:00:01.5Z")
		}
		return s
	}
	overlapping := kept()
	op := overlapping.invoke("c", statusRead)
	overlapping.look("c", "SUCCEEDED", "2026-01-01T00:00:02Z").
		answer(op, harness.Answer{Status: 200, State: "PENDING", RequestID: "r1", UpdatedAt: "2026-01-01T00:00:01Z"}).
		look("c", "SUCCEEDED", "2026-01-01T00:00:02Z").look("c", "SUCCEEDED", "2026-01-01T00:00:02Z").look("c", "SUCCEEDED", "2026-01-01T00:00:02Z")
	judgeAll(t, StateAbsorbing(All(), 2),
		judged{"they stay", kept(), harness.Pass},
		judged{"one flips", kept().look("a", "PENDING", "2026-01-01T00:00:01Z"), harness.Fail},
		judged{"one fails after all", kept().look("a", "FAILED_FINAL", "2026-01-01T00:00:02Z"), harness.Fail},
		judged{"its time goes back", kept().look("a", "SUCCEEDED", "2026-01-01T00:00:00.9Z"), harness.Fail},
		judged{"an older read that was answered later", overlapping, harness.Pass},
		judged{"read too seldom", newStory().look("a", "SUCCEEDED", "1").look("b", "FAILED_FINAL", "1"), harness.Inconclusive},
		judged{"no times", newStory().look("a", "SUCCEEDED", "").look("a", "SUCCEEDED", "").look("a", "SUCCEEDED", ""), harness.Inconclusive},
		judged{"successes only", start().look("a", "SUCCEEDED", "1").look("a", "SUCCEEDED", "2").look("a", "SUCCEEDED", "2"), harness.Inconclusive},
		judged{"successes only, and nobody can be declined", newStory().look("a", "SUCCEEDED", "1").look("a", "SUCCEEDED", "2").look("a", "SUCCEEDED", "2"), harness.Pass},
	)
}

func TestTerminalAtOnce(t *testing.T) {
	judgeAll(t, TerminalAtOnce(All(), 2),
		judged{"results", newStory().send("a", keyK, created).send("b", keyK, declined), harness.Pass},
		judged{"one is pending", newStory().send("a", keyK, created).send("b", keyK, accepted202), harness.Fail},
		judged{"one is pending, and the engine asks again", newStory().send("a", keyK, created).send("b", keyK, accepted202).send("b", keyKFinal, created), harness.Fail},
		judged{"one is unavailable", newStory().send("a", keyK, created).send("b", keyK, unavailable503), harness.Inconclusive},
		judged{"too few", newStory().send("a", keyK, created), harness.Inconclusive},
		judged{"one got no answer", func() *story {
			s := newStory().send("a", keyK, created)
			return s.lose(s.invoke("b", keyK))
		}(), harness.Inconclusive},
	)
}

func TestReconciles(t *testing.T) {
	lifted := harness.Event{Type: harness.FaultEvent, Case: "t/s/a", Fault: &harness.FaultRecord{Fault: after, Stage: harness.FaultLifted}}
	run := func(a harness.Answer, states ...string) *story {
		s := newStory().send("a", keyK, a)
		s.events = append(s.events, lifted)
		for _, state := range states {
			s.look("a", state, "")
		}
		return s
	}
	judgeAll(t, Reconciles(All(), "SUCCEEDED"),
		judged{"it succeeds", run(accepted202, "PENDING", "SUCCEEDED"), harness.Pass},
		judged{"it fails", run(accepted202, "PENDING", "FAILED_FINAL"), harness.Fail},
		judged{"pending for ever", run(accepted202, "PENDING", "PENDING").at(time.Hour), harness.Fail},
		judged{"not watched for long", run(accepted202, "PENDING"), harness.Inconclusive},
		judged{"it was never pending", run(created, "SUCCEEDED"), harness.Inconclusive},
		judged{"only once the caller asked again", run(accepted202, "PENDING").send("a", keyK, created).look("a", "SUCCEEDED", ""), harness.Inconclusive},
		judged{"nobody read it", run(accepted202), harness.Inconclusive},
	)
}

func TestDeclineFinal(t *testing.T) {
	truth := func(b bool) *bool { return &b }
	run := func(retryable *bool, states ...string) *story {
		s := newStory()
		s.header.Policy.Checkout.Reconcile = harness.Duration(time.Second)
		s.send("a", keyK, harness.Answer{Status: 402, Code: "PAYMENT_DECLINED", Retryable: retryable})
		for i, state := range states {
			s.lookAt("a", time.Duration(i)*3*time.Second, time.Duration(i)*3*time.Second, nil)
			s.events[len(s.events)-1].Answer.State = state
		}
		return s
	}
	changed := run(truth(false), "FAILED_FINAL", "FAILED_FINAL")
	changed.events[len(changed.events)-1].Answer.UpdatedAt = "2026-01-01T00:00:01Z"
	judgeAll(t, DeclineFinal(All()),
		judged{"for good", run(truth(false), "FAILED_FINAL", "FAILED_FINAL"), harness.Pass},
		judged{"says that it may be repeated", run(truth(true), "FAILED_FINAL", "FAILED_FINAL"), harness.Fail},
		judged{"for now", run(truth(false), "FAILED_RETRYABLE", "FAILED_RETRYABLE"), harness.Fail},
		judged{"charged after all", run(truth(false), "FAILED_FINAL", "SUCCEEDED"), harness.Fail},
		judged{"it changes", changed, harness.Fail},
		judged{"it does not say", run(nil, "FAILED_FINAL", "FAILED_FINAL"), harness.Inconclusive},
		judged{"read once", run(truth(false), "FAILED_FINAL"), harness.Inconclusive},
	)
	judgeAll(t, PaidForOnce(All()),
		judged{"once", newStory().send("a", keyK, declined).charge("a", "p", "", 402), harness.Pass},
		judged{"twice", newStory().send("a", keyK, declined).charge("a", "p", "", 402).charge("a", "p", "", 402), harness.Fail},
		judged{"never", newStory().send("a", keyK, declined), harness.Inconclusive},
	)
	judgeAll(t, NotAccepted(All(), PaidForOnce(All())),
		judged{"declined", newStory().send("a", keyK, declined).charge("a", "p", "", 402), harness.Pass},
		judged{"declined, and paid for twice", newStory().send("a", keyK, declined).charge("a", "p", "", 402).charge("a", "p", "", 402), harness.Fail},
		judged{"accepted", newStory().send("a", keyK, created).charge("a", "p", "", 201), harness.Inconclusive},
	)
}

func TestPartialUndone(t *testing.T) {
	const dead = "orders/create#*:stub:status(422)"
	run := func(a harness.Answer) *story {
		s := newStory()
		op := s.invoke("a", keyK)
		return s.charge("a", "p", "", 201).call("a", harness.Call{Link: "orders", Operation: "create", Fault: dead, Status: 422}).answer(op, a)
	}
	judgeAll(t, PartialUndone(All()),
		judged{"undone", run(refused422).effect("a", "charge").effect("a", "reservation").effect("a", "void").effect("a", "release"), harness.Pass},
		judged{"made good", run(accepted202).send("a", keyKFinal, created).success("a"), harness.Pass},
		judged{"the charge is kept", run(refused422).effect("a", "charge").effect("a", "reservation").effect("a", "release"), harness.Fail},
		judged{"an order without a charge", run(refused422).effect("a", "charge").effect("a", "void").effect("a", "order"), harness.Fail},
		judged{"nothing failed after a payment", newStory().send("a", keyK, created).charge("a", "p", "", 201).success("a"), harness.Inconclusive},
	)
}
