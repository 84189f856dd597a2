package profile

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Info returns what the engine and the judges may know about the target: no
// secrets, and every list in a fixed order.
func (p *Profile) Info() harness.TargetInfo {
	info := harness.TargetInfo{
		Name: p.Target.Name, Version: p.Target.Version, ProfileSHA256: p.SHA256,
		Requirements: p.Requirements, Dialect: p.Dialect.Dialect, Policy: p.Policy, Limits: p.limits(),
		Maintenance: p.Target.maintenance(),
	}
	for _, c := range Capabilities() {
		if c.declared != nil && c.declared(p) {
			info.Capabilities = append(info.Capabilities, c.Name)
		}
	}
	if p.Checkout != nil {
		info.APIVersion = p.Checkout.Version
	}
	if p.Target.URL != "" {
		info.Instances = 1 + len(p.Target.Instances)
	}
	if p.Effects != nil {
		info.PerSuccess = maps.Clone(p.Effects.PerSuccess)
		info.SharedLedger = p.Effects.Shared
	}
	for _, name := range slices.Sorted(maps.Keys(p.Principals)) {
		principal := p.Principals[name]
		info.Principals = append(info.Principals, harness.Principal{Name: name, Tenant: principal.Tenant,
			Roles: slices.Clone(principal.Roles), Refreshed: len(principal.Refreshed) > 0, SameNameAs: principal.SameNameAs})
	}
	info.Operations, info.Gateway, info.Fields = p.keyed(), p.gatewayInfo(), p.fields()
	info.Refused = slices.Sorted(maps.Keys(p.Refused()))
	info.Responses = p.claimedResponses()
	if w := p.webhook(); w != nil {
		info.Webhook = w.names()
	}
	for _, name := range slices.Sorted(maps.Keys(p.Dependencies)) {
		link := harness.LinkInfo{Name: name, Optional: p.Dependencies[name].Optional}
		operations := p.Dependencies[name].Operations
		for _, operation := range slices.Sorted(maps.Keys(operations)) {
			link.Operations = append(link.Operations, harness.OperationInfo{
				Name: operation, Effect: operations[operation].Effect, Query: operations[operation].Query,
				Keyless: operations[operation].Keyless, Answers: slices.Sorted(maps.Keys(operations[operation].Answers))})
		}
		info.Links = append(info.Links, link)
	}
	return info
}

// Secrets returns what must never be written, by name: the credentials of
// principals ("principal:alice", without the scheme word), other credentials of
// the file, and every value that came from the environment ("env:NAME").
func (p *Profile) Secrets() map[string]string {
	secrets := map[string]string{}
	for name, principal := range p.Principals {
		credentials(secrets, "principal:"+name, principal.Header)
		credentials(secrets, harness.RefreshedPrincipal(name), principal.Refreshed)
	}
	for kind, header := range p.Refusing {
		credentials(secrets, harness.RefusedPrincipal(kind), header)
	}
	if p.Gateway != nil {
		for kind, header := range p.Gateway.Refused {
			credentials(secrets, harness.RefusedPrincipal(kind), header)
		}
	}
	if p.Effects != nil && p.Effects.HTTP != nil {
		credentials(secrets, "effects", p.Effects.HTTP.Header)
	}
	if p.Effects != nil && p.Effects.SQL != nil {
		secrets["effects:dsn"] = p.Effects.SQL.DSN
	}
	if p.Consumer != nil && p.Consumer.SignatureKey != "" {
		secrets["consumer:signatureKey"] = p.Consumer.SignatureKey
	}
	if w := p.webhook(); w != nil {
		credentials(secrets, "webhook", w.Header)
		if w.Signature != nil && w.Signature.Secret != "" {
			secrets["webhook:signature"] = w.Signature.Secret
		}
	}
	p.storedRecord().credentials(secrets, "storage")
	p.outbox().credentials(secrets, "outbox")
	p.Control.credentials(secrets)
	known := slices.Collect(maps.Values(secrets))
	for name, value := range p.secrets {
		// One marker per secret: with two, which of them is written would be luck.
		if !slices.Contains(known, value) {
			secrets["env:"+name] = value
		}
	}
	return secrets
}

// credentials adds the header values that prove who someone is. The one in
// Authorization has the plain name.
func credentials(secrets map[string]string, name string, header map[string]string) {
	for field, value := range header {
		if !secretName.MatchString(field) || value == "" {
			continue
		}
		if http.CanonicalHeaderKey(field) != "Authorization" {
			secrets[name+":"+field] = value
			continue
		}
		if _, credential, ok := strings.Cut(value, " "); ok {
			value = strings.TrimSpace(credential)
		}
		secrets[name] = value
	}
}
