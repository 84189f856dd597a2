package profile

// Dependency is a system that the target calls, and how its calls come to pass
// through us: the target is configured to call the listen address, from which we
// forward to an upstream, to our provider fake or to stubs; or a supervisor
// attaches our listener.
type Dependency struct {
	Listen   string `yaml:"listen" jsonschema_description:"Loopback address, host:port, that the target calls."`
	Upstream string `yaml:"upstream"`
	Fake     string `yaml:"fake" jsonschema:"enum=provider"`
	Stubs    string `yaml:"stubs" jsonschema_description:"A folder of WireMock mappings, or one with them in mappings/. Relative to the profile."`
	Attach   string `yaml:"attach" jsonschema_description:"URL of a supervisor that points the target at us, under a lease."`

	Optional        bool                           `yaml:"optional" jsonschema_description:"A plain checkout does not call it. Any other dependency has to be called by the plain checkouts before a run, or its silence would prove nothing."`
	Operations      map[string]DependencyOperation `yaml:"operations"`
	AttributePath   string                         `yaml:"attribute" jsonschema_description:"Path like .reference to the body member that says which case a call belongs to: its cart, correlation id or unique amount. In a form, .metadata.order is the field metadata[order]."`
	AttributeHeader string                         `yaml:"attributeHeader" jsonschema_description:"Header that says it for calls without such a body."`
	KeyHeader       string                         `yaml:"keyHeader" jsonschema_description:"Header in which the target sends its idempotency key; Idempotency-Key if left out."`
}

// DependencyOperation is one route of a dependency. In its path, {name} stands
// for one segment.
type DependencyOperation struct {
	Method string `yaml:"method"` // default: GET for a query, else POST
	Path   string `yaml:"path" jsonschema:"required"`
	Effect string `yaml:"effect" jsonschema_description:"Kind of ledger entry that it leaves."`
	Query  bool   `yaml:"query" jsonschema_description:"It asks what became of an effect."`
	// What the target has to know of the operation, too.
	Keyless bool                        `yaml:"keyless" jsonschema_description:"The dependency takes no idempotency key for it: a second call is a second effect. Where a plain checkout does not call it, checkout.variants.keyless has to."`
	Answers map[string]DependencyAnswer `yaml:"answers" jsonschema_description:"The dependency's own refusals, in its words, by what they mean: validation, authorization, decline. A stub gives them in its place."`
}

// DependencyAnswer is an answer that a dependency gives.
type DependencyAnswer struct {
	Status int       `yaml:"status" jsonschema:"required"`
	Body   *Template `yaml:"body" jsonschema_description:"JSON"`
}
