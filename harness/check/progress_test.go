package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestInProgressRefused(t *testing.T) {
	// held sends a duplicate while the first request is held, and ends well.
	held := func(duplicate harness.Answer) *story {
		s := newStory()
		first := s.invoke("a", keyK)
		s.mark("a", MarkHeld).send("a", keyK, duplicate)
		return s.mark("a", MarkReleased).answer(first, created)
	}
	waiting := held(created)
	waiting.header.Dialect.InProgress.Mode = "wait"
	judgeAll(t, InProgressRefused(All()),
		judged{"told so", held(busy), harness.Pass},
		judged{"500", held(harness.Answer{Status: 500}), harness.Fail},
		judged{"a conflict without its code", held(harness.Answer{Status: 409}), harness.Fail},
		judged{"executed beside it", held(created), harness.Fail},
		judged{"kept waiting", func() *story {
			s := newStory()
			first := s.invoke("a", keyK)
			s.mark("a", MarkHeld)
			second := s.invoke("a", keyK)
			return s.lose(second).mark("a", MarkReleased).answer(first, created)
		}(), harness.Fail},
		judged{"nobody came while it was held", func() *story {
			s := newStory()
			first := s.invoke("a", keyK)
			return s.mark("a", MarkHeld).mark("a", MarkReleased).answer(first, created)
		}(), harness.Inconclusive},
		judged{"never held", newStory().send("a", keyK, created).send("a", keyK, busy), harness.Inconclusive},
		judged{"a dialect that waits", waiting, harness.NotApplicable},
	)
}

func TestLosersConverge(t *testing.T) {
	other := created
	other.OrderID = "o2"
	judgeAll(t, LosersConverge(All()),
		judged{"the loser reaches the winner's answer", repeated(busy, created).send("a", keyKFinal, created), harness.Pass},
		judged{"the loser stays in progress", repeated(busy, created).send("a", keyKFinal, busy), harness.Fail},
		judged{"the loser gets another order", repeated(busy, created).send("a", keyKFinal, other), harness.Fail},
		judged{"the loser gets a conflict", repeated(busy, created).send("a", keyKFinal, conflict), harness.Fail},
		judged{"one of two losers", repeated(busy, busy, created).send("a", keyKFinal, created), harness.Fail},
		judged{"nobody lost", repeated(created, created), harness.Inconclusive},
	)
}

func TestBecomesTerminal(t *testing.T) {
	judgeAll(t, BecomesTerminal(All()),
		judged{"terminal", repeated(busy, created), harness.Pass},
		judged{"still open at the end", repeated(busy).mark("a", harness.MarkPending), harness.Fail},
		judged{"no terminal answer", repeated(busy), harness.Inconclusive},
	)
}
