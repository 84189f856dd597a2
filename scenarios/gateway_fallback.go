package scenarios

import (
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// gatewayFallback are the scenarios about which failures are answered with a
// stored result, and for whom.
func gatewayFallback() []harness.Scenario {
	return []harness.Scenario{fallbackServed(), fallbackWrite(), fallbackOwner()}
}

const fallbackNeeds = "dependency gateway fallback-seed"

// definitive are the answers that no stored result may hide.
func definitive() []harness.Step {
	var steps []harness.Step
	for _, code := range []int{400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 422} {
		steps = append(steps, harness.Step{Status: code, Header: [][2]string{{"Content-Type", "application/json"}}, Body: `{"code":"DEFINITIVE"}`})
	}
	return steps
}

func fallbackServed() harness.Scenario {
	hidden := at("definitive")
	return resultingScenario("gateway/fallback",
		"a dependency succeeds and then fails; its caller is served the stored result, and only where there is nothing better",
		fallbackNeeds,
		func(s *harness.Session) ([]resulting, error) {
			other, asked, again := get(), get(), get()
			other.Item, asked.Query, again.Query = "-other", "page=1", "page=2"
			cases := []resulting{
				{"served-503", thenFailing(200, status(503)), asking(2, get())},
				{"served-429", thenFailing(200, status(429)), asking(2, get())},
				{"served-500", thenFailing(200, status(500)), asking(2, get())},
				{"served-502", thenFailing(200, status(502)), asking(2, get())},
				{"served-504", thenFailing(200, status(504)), asking(2, get())},
				{"served-close", thenFailing(200, breaking(harness.BreakClose)), asking(2, get())},
				{"served-short", thenFailing(200, harness.Step{Status: 200, Body: newer().Body, Break: harness.BreakShort}), asking(2, get())},
				{"served-reset", thenFailing(200, breaking(harness.BreakReset)), asking(2, get())},
				{"served-silent", thenFailing(200, breaking(harness.BreakSilent)), asking(2, get())},
				{"fresh", answering(stored(200), newer()), asking(3, get())},
				{"definitive", answering(slices.Concat([]harness.Step{stored(200)}, definitive(), []harness.Step{status(503)})...), asking(2+len(definitive()), get())},
				{"other-item", thenFailing(200, status(503)), []harness.ClientCall{get(), other, get()}},
				{"other-query", thenFailing(200, status(503)), []harness.ClientCall{asked, again, asked}},
			}
			if writes(s) {
				cases = append(cases, resulting{"other-method", thenFailing(200, status(503)), []harness.ClientCall{get(), post(ownKey), get()}})
			}
			return cases, nil
		},
		answers("SRS-RES-001.74", "stored-result-is-served", check.Every(check.FallbackServed(serving()), check.FallbackCorrelated(serving()))),
		answers("SRS-RES-001.75", "fresh-result-is-not-marked", check.FreshUnmarked(check.Labelled("fresh@", "served-", "definitive@"))),
		answers("SRS-RES-001.76", "definitive-answer-is-not-hidden", check.DefinitivePassed(hidden)),
		answers("SRS-RES-001.77", "other-item-is-not-served", check.NotServed(at("other-item"))),
		supplement(answers("SRS-RES-001.77", "other-query-is-not-served", check.WhereAsked("page=2", at("other-query"), check.NotServed(at("other-query"))))),
		supplement(answers("SRS-RES-001.77", "other-method-is-not-served", writing(check.NotServed(at("other-method"))))),
		supplement(answers("SRS-RES-001.71", "correlation-id-is-kept-in-fallback", check.FallbackCorrelated(serving()))),
		supplement(timed(answers("SRS-RES-001.79", "fallback-ends-in-time", check.NoLooser(check.LimitTotal, check.Lasts(at("served-silent"), check.UpTo(check.TotalLimit)))))),
	)
}

// fallbackWrite is about calls that change something: only what was committed
// under the same key stands in for an answer.
func fallbackWrite() harness.Scenario {
	return wholeCall(resultingScenario("gateway/fallback-write",
		"a keyed write succeeds, and its dependency fails when the same is asked for again; the committed result is served, and no other",
		fallbackNeeds,
		func(s *harness.Session) ([]resulting, error) {
			if !writes(s) {
				return nil, nil
			}
			own, other, changed := post(ownKey), post(otherKey), post(ownKey)
			changed.Set = map[string]any{"note": "another body under the same key"}
			return []resulting{
				{"committed-503", thenFailing(201, status(503)), asking(2, own)},
				{"committed-reset", thenFailing(201, breaking(harness.BreakReset)), asking(2, own)},
				{"committed-silent", thenFailing(201, breaking(harness.BreakSilent)), asking(2, own)},
				{"other-key", thenFailing(201, status(503)), []harness.ClientCall{own, other, own}},
				{"other-body", thenFailing(201, status(503)), []harness.ClientCall{own, changed, own}},
				{"unkeyed", thenFailing(201, status(503)), asking(2, post(""))},
				{"uncommitted", answering(status(503)), asking(2, own)},
				{"refused", answering(harness.Step{Status: 409, Body: `{"code":"DEFINITIVE"}`}, status(503)), asking(2, own)},
			}, nil
		},
		answers("SRS-RES-001.91", "committed-result-is-served", writing(check.Every(
			check.FallbackServed(check.Labelled("committed-")),
			check.NotServed(at("other-key")),
			check.GaveUp(at("uncommitted", "refused"))))),
		supplement(answers("SRS-RES-001.77", "write-is-served-its-own-result", writing(check.NotServed(at("other-key"))))),
		supplement(answers("SRS-RES-001.77", "write-is-served-no-other-body", writing(check.NotServedToOtherBody(at("other-body"))))),
		supplement(answers("SRS-RES-001.77", "write-without-a-key-has-none", writing(check.NotServedAgain(at("unkeyed"))))),
	))
}

// fallbackOwner has strangers ask for what was stored for somebody else. What they
// are served at all their own dependency decides, which fails.
func fallbackOwner() harness.Scenario {
	return resultingScenario("gateway/fallback-owner",
		"a result is stored for one caller; while the dependency fails a caller of another tenant, and another one of the same, get nothing of it",
		fallbackNeeds+" second-tenant second-principal",
		func(s *harness.Session) ([]resulting, error) {
			foreign, err := foreigner(s)
			if err != nil {
				return nil, err
			}
			near, err := neighbour(s)
			if err != nil {
				return nil, err
			}
			cases := []resulting{
				{"other-tenant", thenFailing(200, status(503)), []harness.ClientCall{get(), of(foreign, get()), get()}},
				{"other-owner", thenFailing(200, status(503)), []harness.ClientCall{get(), of(near, get()), get()}},
			}
			if writes(s) {
				cases = append(cases,
					resulting{"write-other-tenant", thenFailing(201, status(503)), []harness.ClientCall{post(ownKey), of(foreign, post(ownKey)), post(ownKey)}},
					resulting{"write-other-owner", thenFailing(201, status(503)), []harness.ClientCall{post(ownKey), of(near, post(ownKey)), post(ownKey)}})
			}
			return cases, nil
		},
		answers("SRS-RES-001.78", "stranger-gets-nothing", check.NotServed(at("other-tenant", "other-owner"))),
		supplement(answers("SRS-RES-001.78", "stranger-gets-nothing-of-a-write", writing(check.NotServed(check.Labelled("write-other-"))))),
	)
}
