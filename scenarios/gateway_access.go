package scenarios

import (
	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// gatewayAccess are the scenarios about callers without a right.
func gatewayAccess() []harness.Scenario {
	return []harness.Scenario{accessRefused(), accessFallback()}
}

// noCredentials is the case of a caller who brings none.
const noCredentials = "none"

// rightless are the callers without a right that the target can be tried with, by
// the labels of their cases.
func rightless(s *harness.Session) map[string]string {
	callers := map[string]string{noCredentials: harness.NoPrincipal}
	if g := s.Target().Gateway; g != nil {
		for _, kind := range g.Refused {
			callers[kind] = harness.RefusedPrincipal(kind)
		}
	}
	return callers
}

// rightlessKinds are all that the clauses name.
func rightlessKinds(prefix string) []string {
	return []string{prefix + noCredentials, prefix + harness.CredentialMalformed, prefix + harness.CredentialExpired, prefix + harness.CredentialForeign}
}

// accessRefused lets the dependency succeed: whoever is let through gets its
// answer.
func accessRefused() harness.Scenario {
	every := check.Labelled("caller-")
	return resultingScenario("gateway/access",
		"callers without credentials, with malformed ones, with expired ones and with ones that somebody else signed are refused before the dependency hears of them",
		"dependency gateway",
		func(s *harness.Session) ([]resulting, error) {
			var cases []resulting
			for label, principal := range rightless(s) {
				cases = append(cases, resulting{"caller-" + label, answering(stored(200)), []harness.ClientCall{get(), of(principal, get()), get()}})
			}
			return cases, nil
		},
		answers("SRS-RES-001.81", "refused-at-the-door", check.CallerRefused(every, rightlessKinds("caller-")...)),
		supplement(answers("SRS-RES-001.85", "error-object-of-a-refusal", check.ErrorObject(every))),
	)
}

// accessFallback lets the dependency fail after a result was stored: to serve that
// one the gateway has to know who asks now.
func accessFallback() harness.Scenario {
	every := check.Labelled("fallback-")
	return resultingScenario("gateway/access-fallback",
		"a result is stored and the dependency fails; callers whose right is gone, or who never had one, are refused and get no byte of it",
		fallbackNeeds,
		func(s *harness.Session) ([]resulting, error) {
			var cases []resulting
			for label, principal := range rightless(s) {
				cases = append(cases, resulting{"fallback-" + label, thenFailing(200, status(503)), []harness.ClientCall{get(), of(principal, get()), get()}})
			}
			return cases, nil
		},
		answers("SRS-RES-001.93", "authorised-when-served", check.CallerRefused(every, "fallback-"+noCredentials, "fallback-"+harness.CredentialExpired)),
	)
}
