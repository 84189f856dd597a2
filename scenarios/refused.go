package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// refusedScenarios are those in which a dependency says what a repetition would
// not change.
func refusedScenarios() []harness.Scenario {
	return []harness.Scenario{
		refusedBy("retry/validation-refused", "SRS-CHK-002.05",
			"each dependency answers 400 and 422; it is called once", 400, 422),
		refusedInWords("retry/validation-refused-in-words", "SRS-CHK-002.05", harness.AnswerValidation,
			"the provider refuses the request as invalid, in its own words; it is called once"),
		refusedBy("retry/authorization-refused", "SRS-CHK-002.06",
			"each dependency answers 401 and 403; it is called once", 401, 403),
		refusedInWords("retry/authorization-refused-in-words", "SRS-CHK-002.06", harness.AnswerAuthorization,
			"the provider refuses to authorize the payment, in its own words; it is called once"),
		cardDeclined(),
		refusedInWords("retry/card-declined-in-words", "SRS-CHK-002.07", harness.AnswerDecline,
			"the provider declines the card, in its own words; it is called once"),
		refusedBy("retry/unclassified", "SRS-CHK-002.32",
			"each dependency answers 302, 404, 410 and 418; it is called once", 302, 404, 410, 418),
	}
}

// refusedBy makes a scenario in which each dependency gives each of the statuses
// to all calls of its operation.
func refusedBy(id string, clause harness.ClauseID, title string, statuses ...int) harness.Scenario {
	return refusedScenario(id, clause, title, harness.Needs{"checkout", "dependencies"}, func(s *harness.Session) ([]failing, error) {
		var cases []failing
		for _, o := range effecting(s) {
			for _, status := range statuses {
				cases = append(cases, failing{fmt.Sprintf("%s-%d", o.link, status), []harness.Fault{onEvery(o, harness.Action{Name: harness.ActStatus, Status: status})}})
			}
		}
		return cases, nil
	})
}

// refusedInWords makes a scenario in which each dependency for which the profile
// has such an answer gives it. Where all that is declared is for others, there is
// nothing to try and nothing is proven.
func refusedInWords(id string, clause harness.ClauseID, answer, title string) harness.Scenario {
	sc := refusedScenario(id, clause, title, harness.Needs{"checkout", "dependencies", string(harness.CapRefusals)}, func(s *harness.Session) ([]failing, error) {
		var cases []failing
		for _, o := range effecting(s) {
			if knows(s, o, answer) {
				cases = append(cases, failing{o.link + "-" + answer, []harness.Fault{onEvery(o, harness.Action{Name: harness.ActAnswer, Answer: answer})}})
			}
		}
		if len(cases) == 0 {
			return nil, fmt.Errorf("no dependency operation of the profile has an answer %s; say how it refuses (dependencies.NAME.operations.NAME.answers.%s)", answer, answer)
		}
		return cases, nil
	})
	if clause != "SRS-CHK-002.06" { // that clause names the provider's own code, the others do not
		sc.Checks[0] = supplement(sc.Checks[0])
	}
	return sc
}

func refusedScenario(id string, clause harness.ClauseID, title string, needs harness.Needs, build func(*harness.Session) ([]failing, error)) harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID: id, Title: title, Needs: needs,
		Drive: func(ctx context.Context, s *harness.Session) error {
			cases, err := build(s)
			if err == nil && len(cases) == 0 {
				err = errNothingEffecting
			}
			if err != nil {
				return err
			}
			return harness.Parallel(len(cases), func(i int) error { return driveFailing(ctx, s, cases[i]) })
		},
		Checks: []harness.Check{
			answers(clause, "called-once", check.CalledOnce(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(every)),
		},
	}
}

// onEvery lets a stub answer every exchange in place of the dependency.
func onEvery(o operation, a harness.Action) harness.Fault { return o.fault(0, harness.CutStub, a) }

// cardDeclined has the provider itself decline: the variant of the checkout that
// the profile names so.
func cardDeclined() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/card-declined",
		Title: "the provider declines the card; it is called once",
		Needs: harness.Needs{"checkout", "dependencies", string(harness.CapDecline)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			if _, err := paying(s); err != nil {
				return err
			}
			s.Send(ctx, s.Case("declined"), harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variantDeclined})
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.07", "paid-for-once", check.NotAccepted(every, check.PaidForOnce(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(every)),
		},
	}
}
