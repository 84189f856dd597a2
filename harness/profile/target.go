package profile

// TargetSpec names the system under test.
type TargetSpec struct {
	Name    string `yaml:"name" jsonschema:"required"`
	Version string `yaml:"version"`
	URL     string `yaml:"url" jsonschema_description:"Absolute http or https URL, without user or query. Only a client behind a shim is tried without one."`
	// Instances are further ones of the same service, over the same store.
	Instances   []string          `yaml:"instances" jsonschema_description:"URLs of further instances of the same service that share its store, each like url."`
	CA          string            `yaml:"ca" jsonschema_description:"File of PEM certificates that an https target is trusted by, instead of the system's; for a self-signed certificate, itself. Relative to the profile."`
	Maintenance []MaintenanceSpec `yaml:"maintenance" jsonschema_description:"Windows in which the target need not be available. Probes in them are left out of its availability, and listed."`
	Owned       bool              `yaml:"owned" jsonschema_description:"Whoever runs the suite may disturb this target. Needed for a host that is not loopback, beside --allow-host."`
}

// MaintenanceSpec is a window of planned maintenance; its times are RFC 3339.
type MaintenanceSpec struct {
	From string `yaml:"from" jsonschema:"required,format=date-time"`
	To   string `yaml:"to" jsonschema:"required,format=date-time"`
	Why  string `yaml:"why" jsonschema:"required"`
}

// PrincipalSpec is an identity. The header is sent with each request made as it.
type PrincipalSpec struct {
	Tenant string            `yaml:"tenant"`
	Roles  []string          `yaml:"roles"`
	Header map[string]string `yaml:"header"`
	// SameNameAs is a principal of another tenant.
	SameNameAs string `yaml:"sameNameAs" jsonschema_description:"A principal of another tenant who has the same name, or subject, for the target: it finds out who tells customers apart by their names and forgets the tenant."`
	// Refreshed are further credentials of the same identity.
	Refreshed map[string]string `yaml:"refreshed" jsonschema_description:"Headers with other credentials of the same identity, as after a token refresh."`
}

// Operation is a request template. Path, header and body may hold {{names}}; a
// body value that is exactly one {{name}} keeps the JSON type of what it gets.
type Operation struct {
	Method    string              `yaml:"method"` // default: GET for a request without key and body, else POST
	Path      string              `yaml:"path" jsonschema:"required" jsonschema_description:"Relative to target.url; begins with a slash."`
	Header    map[string]string   `yaml:"header"`
	Body      *Template           `yaml:"body"`
	Fields    map[string]string   `yaml:"fields" jsonschema_description:"Members of the checkout's body by what they mean: cart, cartVersion, currency, amount, payment; optional is one that may be left out. Cart and amount are found by their {{names}}."`
	Variants  map[string]Template `yaml:"variants" jsonschema_description:"Body members to replace, by variant. The variant named declined makes the payment fail for good, large makes the answer 5 MiB long or more."`
	Keyed     bool                `yaml:"keyed" jsonschema_description:"The operation takes an idempotency key. Checkout always does."`
	Version   string              `yaml:"version" jsonschema_description:"API version, where it is not that of checkout."`
	Effects   map[string]int      `yaml:"effects" jsonschema_description:"Of a keyed operation under operations: the entries of each kind that one success leaves, for example {refund: 1, release: 1}. Another version of the checkout leaves what the checkout leaves."`
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
