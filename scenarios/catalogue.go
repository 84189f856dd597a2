package scenarios

import (
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Catalogue returns the clauses, the invariants and the scenarios, in the order
// in which reports show them. The error names a broken line of the register.
func Catalogue() (harness.Catalogue, error) {
	clauses, err := register(clausesTSV)
	if err != nil {
		return harness.Catalogue{}, err
	}
	return harness.Catalogue{Clauses: clauses, Invariants: invariants(), Scenarios: slices.Concat([]harness.Scenario{
		keyLength(), keyOverlong(), keyMissing(), keyMalformed(),
		keyEverywhere(), keyName(), keyNotASCII(), keyEmpty(), keyTwoLines(), keyExact(), everyCharacter(),
		requiredFields(), keyFreeAfterRefusal(), paymentDetails(), authEndpoints(), authReplay(),
		retention(), flagRequiresKey(), flagAdoption(),
		scopeTenant(), scopePrincipal(), scopeOperation(), scopeVersion(), scopeSeparator(), scopeCredential(),
		replaySuccess(), replayEvent(), replayDeclined(), responseLost(), connectionLost(),
		replayOutcome(), replayCancelled(), replayHeaders(), replayLarge(), oneOfEach(), twoKeys(),
		resent(),
		conflictTerminal(), conflictStates(), conflictInProgress(), conflictIntact(), conflict422(),
		fingerprintFields(), fingerprintSpelling(), fingerprintHeaders(), fingerprintNull(),
		inProgress(), concurrentReplay(),
		retryTimeout(), retryReset(), retryThrottled(), retryServerError(),
		unknownOutcome(), webhooks(), providerKey(), providerKeyRestart(),
		statusOwner(), statusUnknown(), statusUnknownSupport(), statusForeign(),
	}, operationScenarios(), refusedScenarios(), boundedScenarios(), deadlineScenarios(), []harness.Scenario{conflictReread()}, convergingScenarios(), stateScenarios(), writtenScenarios(), statusAccess(), statusContent(), interfaceScenarios(), []harness.Scenario{redaction()}, instancesScenarios(), []harness.Scenario{crash(), crashAnswered(), storeOutage(), slowWork()}, clientTimes(), clientRepeats(), clientResult(), clientError(), gatewayScenarios()), NFRs: nfrs()}, nil
}
