package profile

// TargetSpec names the system under test.
type TargetSpec struct {
	Name    string `yaml:"name" jsonschema:"required"`
	Version string `yaml:"version"`
	URL     string `yaml:"url" jsonschema_description:"Absolute http or https URL, without user or query. Only a client behind a shim is tried without one."`
	CA      string `yaml:"ca" jsonschema_description:"File of PEM certificates that an https target is trusted by, instead of the system's; for a self-signed certificate, itself. Relative to the profile."`
	Owned   bool   `yaml:"owned" jsonschema_description:"Whoever runs the suite may disturb this target. Needed for a host that is not loopback, beside --allow-host."`
}

// PrincipalSpec is an identity. The header is sent with each request made as it.
type PrincipalSpec struct {
	Tenant string            `yaml:"tenant"`
	Roles  []string          `yaml:"roles"`
	Header map[string]string `yaml:"header"`
}

// Operation is a request template. Path, header and body may hold {{names}}; a
// body value that is exactly one {{name}} keeps the JSON type of what it gets.
type Operation struct {
	Method    string              `yaml:"method"` // default: GET for a request without key and body, else POST
	Path      string              `yaml:"path" jsonschema:"required" jsonschema_description:"Relative to target.url; begins with a slash."`
	Header    map[string]string   `yaml:"header"`
	Body      *Template           `yaml:"body"`
	Variants  map[string]Template `yaml:"variants" jsonschema_description:"Body members to replace, by variant. The variant named declined makes the payment fail for good."`
	Keyed     bool                `yaml:"keyed" jsonschema_description:"The operation takes an idempotency key. Checkout always does."`
	Version   string              `yaml:"version" jsonschema_description:"API version, where it is not that of checkout."`
	Principal string              `yaml:"principal" jsonschema_description:"Who calls it where a scenario does not say."`
	Response  *Response           `yaml:"response" jsonschema_description:"Where its answers say what, if not where the profile says."`
}

// Sink is the address at which we take the target's events.
type Sink struct {
	Listen string `yaml:"listen" jsonschema:"required"`
}

// Consumer is the target's endpoint for events.
type Consumer struct {
	Path         string `yaml:"path" jsonschema:"required"`
	SignatureKey string `yaml:"signatureKey"`
}
