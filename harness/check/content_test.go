package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestInvalidRefused(t *testing.T) {
	problem := newStory().send("a", keyK, harness.Answer{Status: 422})
	problem.header.Dialect.ErrorFormat = "problem"
	judgeAll(t, InvalidRefused(All()),
		judged{"refused", newStory().send("a", keyK, invalid), harness.Pass},
		judged{"refused, and then the right one", newStory().send("a", keyK, invalid).send("a", keyKOther, created), harness.Pass},
		judged{"accepted", newStory().send("a", keyK, created), harness.Fail},
		judged{"another code", newStory().send("a", keyK, harness.Answer{Status: 400, Code: "BAD_REQUEST"}), harness.Fail},
		judged{"another form of errors", problem, harness.Pass},
		judged{"500", newStory().send("a", keyK, harness.Answer{Status: 500, Code: "VALIDATION_ERROR"}), harness.Fail},
		judged{"refused, but a provider was called", func() *story {
			s := newStory()
			op := s.invoke("a", keyK)
			return s.charge("a", "p", "", 201).answer(op, invalid)
		}(), harness.Fail},
		judged{"no answer", func() *story { s := newStory(); return s.lose(s.invoke("a", keyK)) }(), harness.Inconclusive},
	)
}

func TestRefusalFreesKey(t *testing.T) {
	consuming := newStory().send("a", keyK, invalid).send("a", keyKOther, conflict)
	consuming.header.Dialect.ValidationConsumesKey = true
	judgeAll(t, RefusalFreesKey(All()),
		judged{"free", newStory().send("a", keyK, invalid).send("a", keyK, invalid).send("a", keyKOther, created), harness.Pass},
		judged{"the refusal again", newStory().send("a", keyK, invalid).send("a", keyKOther, invalid), harness.Fail},
		judged{"a conflict", newStory().send("a", keyK, invalid).send("a", keyKOther, conflict), harness.Fail},
		judged{"accepted at first", newStory().send("a", keyK, created).send("a", keyKOther, conflict), harness.Inconclusive},
		judged{"no other request", newStory().send("a", keyK, invalid).send("a", keyK, invalid), harness.Inconclusive},
		judged{"a dialect that keeps refusals", consuming, harness.NotApplicable},
	)
}

func TestDetailsHandled(t *testing.T) {
	details := harness.Request{Keys: []string{"k"}, BodySHA256: "b1", Body: `{"card":{"number":"` + harness.CanaryCard.Marker() + `","cvc":"` + harness.CanaryCVC.Marker() + `"}}`}
	repeatLost := func() *story {
		s := newStory().send("a", details, created)
		return s.lose(s.invoke("a", details))
	}
	judgeAll(t, DetailsHandled(All()),
		judged{"refused", newStory().send("a", details, invalid), harness.Pass},
		judged{"accepted and replayed", newStory().send("a", details, created).send("a", details, created), harness.Pass},
		judged{"accepted, and not the same again", newStory().send("a", details, created).send("a", details, boughtAs(2)), harness.Fail},
		judged{"accepted and not repeated", newStory().send("a", details, created), harness.Inconclusive},
		judged{"accepted, and the repeat was not answered", repeatLost(), harness.Inconclusive},
		judged{"accepted, and only a further repeat was answered", repeatLost().send("a", details, created), harness.Pass},
		judged{"a server error", newStory().send("a", details, harness.Answer{Status: 500}), harness.Fail},
		judged{"no details", newStory().send("a", keyK, invalid), harness.Inconclusive},
	)
}

func TestDetailsKept(t *testing.T) {
	details := harness.Request{Keys: []string{"k"}, Body: harness.CanaryCard.Marker() + harness.CanaryCVC.Marker()}
	log := func(s *story, line string) *story {
		return s.add(harness.Event{Type: harness.LogEvent, Case: "t/s/a", Log: &harness.LogRecord{Line: line}})
	}
	read := func(s *story) *story {
		return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLogs, Count: map[string]int64{"lines": 1, "kept": 1}}})
	}
	told := invalid
	told.Body = "no card like " + harness.CanaryCard.Marker()
	judgeAll(t, DetailsKept(All()),
		judged{"kept", read(log(newStory().send("a", details, invalid), "refused")), harness.Pass},
		judged{"in an answer", read(log(newStory().send("a", details, told), "refused")), harness.Fail},
		judged{"in the log", read(log(newStory().send("a", details, invalid), "refused "+harness.CanaryCVC.Marker())), harness.Fail},
		judged{"nothing logged of it", read(newStory().send("a", details, invalid)), harness.Inconclusive},
		judged{"nothing secret sent", read(log(newStory().send("a", keyK, invalid), "refused")), harness.Inconclusive},
	)
}
