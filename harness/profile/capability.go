package profile

import (
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Capability is a row of the list of what a target may let us do or see.
type Capability struct {
	Name    harness.Capability `json:"name"`
	Key     string             `json:"key"`     // the profile key that declares it
	Meaning string             `json:"meaning"` // what it lets us do or see
	// Offered says whether this version of the suite makes use of it. A key whose
	// capability is not offered is read and checked, and proves nothing.
	Offered bool `json:"offered"`
	// ToldByShim says that the key alone does not declare it: the client's shim
	// does, once it is asked.
	ToldByShim bool `json:"toldByShim,omitempty"`

	declared func(*Profile) bool
}

// Capabilities returns every capability that the clauses ask for, in the order
// of the profile's keys.
func Capabilities() []Capability {
	offered := func(name harness.Capability, key, meaning string, declared func(*Profile) bool) Capability {
		return Capability{Name: name, Key: key, Meaning: meaning, Offered: true, declared: declared}
	}
	later := func(name harness.Capability, key, meaning string) Capability {
		return Capability{Name: name, Key: key, Meaning: meaning}
	}
	// What only the client knows, its shim tells once it is asked.
	told := func(name harness.Capability, meaning string) Capability {
		return Capability{Name: name, Key: "client", Meaning: meaning, Offered: true, ToldByShim: true}
	}
	return []Capability{
		offered(harness.CapCheckout, "checkout", "send the request that has the effects", func(p *Profile) bool { return p.Checkout != nil }),
		offered(harness.CapDecline, "checkout.variants.declined", "make a payment fail for good", (*Profile).declines),
		offered(harness.CapFields, "checkout.fields", "alter a request by what its members mean", (*Profile).knowsFields),
		offered(harness.CapOptionalField, "checkout.fields.optional", "send a member that may be left out", (*Profile).knowsOptional),
		offered(harness.CapLargeAnswer, "checkout.variants.large", "get an answer of 5 MiB and more", func(p *Profile) bool { return p.hasVariant("large") }),
		offered(harness.CapStatus, "status", "ask what became of a request", func(p *Profile) bool { return p.Status != nil }),
		offered(harness.CapSecondOperation, "operations", "send a key to another keyed operation of the same version", (*Profile).secondOperation),
		offered(harness.CapSecondVersion, "operations", "send a key to another version of the API", (*Profile).secondVersion),
		offered(harness.CapSecondPrincipal, "principals", "act as two customers of one tenant", (*Profile).secondPrincipal),
		offered(harness.CapSecondTenant, "principals", "act as customers of two tenants", (*Profile).secondTenant),
		offered(harness.CapSupportRole, "principals", "act as support staff", (*Profile).supportRole),
		offered(harness.CapOtherRole, "principals", "act as somebody with another role than support", (*Profile).otherRole),
		offered(harness.CapRefreshed, "principals.NAME.refreshed", "act as a customer with credentials that were refreshed", (*Profile).refreshes),
		offered(harness.CapEffects, "effects", "read the ledger", func(p *Profile) bool { return p.Effects != nil }),
		offered(harness.CapDependencies, "dependencies", "stand between the target and the systems it calls", func(p *Profile) bool { return len(p.Dependencies) > 0 }),
		offered(harness.CapKeyless, "dependencies.NAME.operations.NAME.keyless", "have the target call something that takes no keys", (*Profile).callsKeyless),
		offered(harness.CapRefusals, "dependencies.NAME.operations.NAME.answers", "refuse in the words of a dependency", (*Profile).knowsRefusals),
		offered(harness.CapWebhook, "webhooks.payment", "tell the target of a payment in its provider's place", func(p *Profile) bool { return p.webhook() != nil }),
		offered(harness.CapProcessControl, "control", "kill and restart the target", func(p *Profile) bool { return p.Control != nil && p.Control.restarts() }),
		offered(harness.CapProcessKill, "control", "kill the target and keep it down", func(p *Profile) bool { return p.Control != nil && p.Control.kills() }),
		offered(harness.CapProcessPause, "control", "stop the target's processes for a while", func(p *Profile) bool { return p.Control != nil && p.Control.pauses() }),
		offered(harness.CapInstances, "target.instances", "call several instances over one store", func(p *Profile) bool { return len(p.Target.Instances) > 0 }),
		offered(harness.CapCrashPoints, "control.crash", "have the target's process die between two steps of a request", func(p *Profile) bool { return p.Control != nil && p.Control.HTTP != "" && p.Control.Crash != nil }),
		offered(harness.CapClock, "control.clock", "move the target's clock", func(p *Profile) bool { return p.Control != nil && p.Control.Clock != nil }),
		offered(harness.CapResilienceFlag, "control.flag.NAME.for: resilience", "switch retries and fallback", switches(harness.FlagResilience)),
		offered(harness.CapKeyFlag, "control.flag.NAME.for: require-key", "switch whether requests without a key are refused", switches(harness.FlagRequireKey)),
		offered(harness.CapFeatureFlag, "control.flag", "switch a feature of the target", func(p *Profile) bool { return p.Control != nil && len(p.Control.Flag) > 0 }),
		offered(harness.CapStoreLink, "links.store", "disturb the link to the store", (*Profile).disturbsStore),
		offered(harness.CapStoreLoss, "links.store: control, or links.store.lost", "lose the answer of a reservation on its way from the store", (*Profile).losesReservations),
		later("links", "links", "disturb links at connection level"),
		offered(harness.CapDependency, "client or gateway", "stand behind a client, or behind a route that calls through one", (*Profile).dependsOnUs),
		offered(harness.CapGateway, "gateway", "make the client call through an operation of the target", (*Profile).gatewayed),
		offered(harness.CapFallbackSeed, "gateway.seedFallback", "store a result that a fallback may use", (*Profile).seedsFallback),
		told(harness.CapCancel, "cancel a call in flight"),
		told(harness.CapFreshClient, "make calls with a client that has no state"),
		told(harness.CapSocketStats, "count the client's open connections"),
		told(harness.CapTLSTrust, "make the client trust a certificate of ours"),
		told(harness.CapResolver, "make the client ask a resolver of ours for names"),
		told(harness.CapDeclaredPolicy, "read the client's own numbers"),
		told(harness.CapIdempotencyKey, "give the client a key for a call"),
		later("sink", "sink", "take the target's events"),
		later("consumer", "consumer", "deliver events to the target"),
		offered(harness.CapLogs, "observe.logs", "read the target's log", func(p *Profile) bool { return p.Observe != nil && p.Observe.Logs != nil }),
		offered(harness.CapMetrics, "observe.metrics", "read the target's metrics", func(p *Profile) bool { return p.Observe != nil && p.Observe.Metrics != "" }),
		offered(harness.CapStorage, "observe.storage.files", "search the target's store for what must not be there", func(p *Profile) bool { return p.storage() != nil && len(p.storage().Files) > 0 }),
		offered(harness.CapStoredRecord, "observe.storage.record", "read one stored record", func(p *Profile) bool { return p.storage() != nil && p.storage().Record != nil }),
		offered(harness.CapOutbox, "observe.outbox", "read the events that the target recorded to tell others", func(p *Profile) bool { return p.outbox() != nil }),
		later("dead-letter-replay", "observe.deadLetters", "list, redrive and resolve dead letters"),
		later("alert-rules", "observe.alertRules", "check the alert rules"),
	}
}

func (p *Profile) declines() bool { return p.hasVariant("declined") }

func (p *Profile) secondOperation() bool { return p.anyKeyed(true) }

func (p *Profile) secondVersion() bool { return p.anyKeyed(false) }

func (p *Profile) anyKeyed(sameVersion bool) bool {
	for _, op := range p.Operations {
		if op.Keyed && p.sameVersion(op) == sameVersion {
			return true
		}
	}
	return false
}

// sameVersion reports whether the operation is of the checkout's version.
func (p *Profile) sameVersion(op Operation) bool {
	return p.Checkout == nil || op.Version == "" || op.Version == p.Checkout.Version
}

// keyed returns the keyed operations in order of their names.
func (p *Profile) keyed() []harness.KeyedOperation {
	var list []harness.KeyedOperation
	for _, name := range slices.Sorted(maps.Keys(p.Operations)) {
		op := p.Operations[name]
		if !op.Keyed {
			continue
		}
		k := harness.KeyedOperation{Name: name, Capability: harness.CapSecondOperation, Principal: op.Principal, Version: op.Version, Effects: op.Effects}
		if !p.sameVersion(op) {
			k.Capability = harness.CapSecondVersion
			if k.Effects == nil && p.Effects != nil {
				k.Effects = p.Effects.PerSuccess
			}
		}
		k.Refers = slices.ContainsFunc(op.names(), func(open string) bool { return open == "requestId" || open == "orderId" })
		list = append(list, k)
	}
	return list
}

// customers counts the principals of each tenant who have no role: support staff
// may see what another customer may not, so they do not stand in for one.
func (p *Profile) customers() map[string]int {
	count := map[string]int{}
	for _, principal := range p.Principals {
		if len(principal.Roles) == 0 {
			count[principal.Tenant]++
		}
	}
	return count
}

func (p *Profile) secondPrincipal() bool {
	for _, n := range p.customers() {
		if n >= 2 {
			return true
		}
	}
	return false
}

func (p *Profile) secondTenant() bool { return len(p.customers()) >= 2 }

// otherRole reports whether a customer has a neighbour in the same tenant who has a
// role, and not that of support.
func (p *Profile) otherRole() bool {
	for _, principal := range p.Principals {
		if len(principal.Roles) > 0 && !slices.Contains(principal.Roles, "support") && p.sells(principal.Tenant) {
			return true
		}
	}
	return false
}

// sells reports whether the tenant has a customer who has no role.
func (p *Profile) sells(tenant string) bool {
	for _, principal := range p.Principals {
		if principal.Tenant == tenant && len(principal.Roles) == 0 {
			return true
		}
	}
	return false
}

func (p *Profile) supportRole() bool {
	for _, principal := range p.Principals {
		if slices.Contains(principal.Roles, "support") {
			return true
		}
	}
	return false
}
