package mutants

import (
	"slices"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// What a target must offer for a mutant to be noticed.
const (
	needEffects         = "effects"
	needDependencies    = "dependencies"
	needSecondTenant    = "second-tenant"
	needSecondPrincipal = "second-principal"
	needDecline         = "decline"
	needKeyless         = "keyless"
	needDependency      = "dependency"
	needFreshClient     = "fresh-client"
	needDeclaredPolicy  = "declared-policy"
	needIdempotencyKey  = "idempotency-key"
	needCancel          = "cancel"
	needSocketStats     = "socket-stats"
	needTLSTrust        = "tls-trust"
	needResolver        = "resolver"
	needGateway         = "gateway"
	needFallbackSeed    = "fallback-seed"
	needFeatureFlag     = "feature-flag"
	needStoreLink       = "store-link"
	needInstances       = "instances"
	needProcessControl  = "process-control"
	needStatus          = "status"
	needClock           = "clock"
	needMetrics         = "metrics"
	needLogs            = "logs"
	needSupportRole     = "support-role"
	needOtherRole       = "other-role"
	needStorage         = "storage-read"
	needStoredRecord    = "stored-record"
	needOutbox          = "outbox-probe"
	needFields          = "request-fields"
	needKeyFlag         = "require-key-flag"
	needSecondOperation = "second-operation"
	needSecondVersion   = "second-version"
	needRefreshed       = "refreshed-credential"
	needOptionalField   = "optional-field"
	needLargeAnswer     = "large-answer"
	needWebhook         = "webhook"
)

// Mutant is one broken variant.
type Mutant struct {
	Name   string   // the sin
	Breaks string   // one sentence
	Kills  []string // ids of the clauses that must fail
	Needs  []string // capabilities without which it cannot be noticed

	// What it replaces; nil is nothing. The client that the checkout calls with is
	// part of the checkout's Config: a broken one of its own goes to the gateway
	// and to the shim.
	Wrap    func(*checkout.Config)
	Gateway func(*gateway.Config)
	Client  func(*client.Config)
}

// All returns every mutant in a fixed order.
func All() []Mutant {
	return slices.Concat(keyMutants(), keyReadMutants(), keyComparedMutants(), validationMutants(), authMutants(), retentionMutants(), keyFlagMutants(), scopeMutants(), replayMutants(), outcomeMutants(), sameCartMutants(), conflictMutants(), conflictStateMutants(), fingerprintMutants(),
		progressMutants(), retryMutants(), refusedMutants(), boundedMutants(), lifecycleMutants(), auditMutants(), wholeMutants(), providerMutants(), webhookMutants(), operationMutants(), statusMutants(), statusAccessMutants(), statusContentMutants(), statusUndoneMutants(), interfaceMutants(), redactionMutants(), redactionPathMutants(), unreadableMutants(), foundOutMutants(), reservationMutants(), instanceMutants(), disconnectMutants(), crashMutants(), storeMutants(), clientMutants(), gatewayMutants(), tombstoneMutants(), keyNarrowMutants(), fingerprintDeliveryMutants(), fingerprintNearMutants())
}

// Named returns the mutant of that name.
func Named(name string) (Mutant, bool) {
	all := All()
	i := slices.IndexFunc(all, func(m Mutant) bool { return m.Name == name })
	if i < 0 {
		return Mutant{}, false
	}
	return all[i], true
}
