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
		scopeTenant(), scopePrincipal(),
		replaySuccess(), replayDeclined(), responseLost(), connectionLost(),
		conflictTerminal(), conflictInProgress(),
		inProgress(), concurrentReplay(),
		retryTimeout(), retryReset(), retryThrottled(), retryServerError(),
		unknownOutcome(), providerKey(), providerKeyRestart(),
		statusOwner(), statusUnknown(), statusUnknownSupport(), statusForeign(),
	}, clientTimes(), clientRepeats(), clientResult(), clientError(), gatewayScenarios()), NFRs: nfrs()}, nil
}
