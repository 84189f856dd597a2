package profile

// Source is one way to read entries; exactly one of its members is set.
type Source struct {
	HTTP    *HTTPSource `yaml:"http"`
	SQL     *SQLSource  `yaml:"sql"`
	Command []string    `yaml:"command"`
}

// HTTPSource reads JSON and picks the entries by a jq expression.
type HTTPSource struct {
	URL    string            `yaml:"url" jsonschema:"required" jsonschema_description:"May hold {{since}}: the last sequence number already seen."`
	JQ     string            `yaml:"jq"`
	Header map[string]string `yaml:"header"`
}

// SQLSource reads rows.
type SQLSource struct {
	DSN   string `yaml:"dsn" jsonschema:"required"`
	Query string `yaml:"query" jsonschema:"required"`
}

// Effects says how to read the ledger, and what one success leaves in it. No
// way to read has to be given where a dependency is answered by our own
// provider fake, whose ledger it then is.
type Effects struct {
	Source     `yaml:",inline"`
	PerSuccess map[string]int `yaml:"perSuccess" jsonschema:"required" jsonschema_description:"Entries of each kind that one plain success leaves."`
	Shared     bool           `yaml:"shared" jsonschema_description:"Others leave entries there too, so an entry without a cause proves nothing."`
}

// Observe is what the target lets us see of its inside.
type Observe struct {
	Metrics     string            `yaml:"metrics" jsonschema_description:"URL of the target's metrics in Prometheus text form."`
	Names       map[string]string `yaml:"names" jsonschema_description:"What the target calls a measure, where that is not our name: fallback.served, fallback.eligible, requests.keyed, requests.keyless, feature.enabled."`
	Logs        *LogSource        `yaml:"logs"`
	Storage     *Storage          `yaml:"storage"`
	Outbox      *Source           `yaml:"outbox" jsonschema_description:"Reads the events that the target recorded to tell others, as objects: position, a number that grows with each, eventId, and aggregateId, tenant, sequence, type, state, attemptCount, lastErrorClass, nextAttemptAt, correlationId, occurredAt as far as they are known. An entry is known by the correlation id of its request, or by the id of the request, order or cart as aggregateId. {{since}} is the last position seen."`
	DeadLetters *DeadLetters      `yaml:"deadLetters"`
	AlertRules  string            `yaml:"alertRules"`
}

// LogSource is where the target's log can be read.
type LogSource struct {
	File string `yaml:"file" jsonschema:"required" jsonschema_description:"File of JSON lines, to which the target appends. Relative to the profile."`
}

// Storage is how the target's store can be looked into.
type Storage struct {
	Files  []string `yaml:"files" jsonschema_description:"Patterns of the files that make up the store, its journal among them; they are searched for what must not be there. Relative to the profile."`
	Record *Source  `yaml:"record" jsonschema_description:"Reads one stored record by its {{requestId}}, as an object: requestId, tenant, principal, operation, version, key, fingerprint, state, status, response, attemptCount, attempts, updatedAt, terminalAt, expiresAt, unique."`
}

// DeadLetters are the operator's routes to undeliverable events.
type DeadLetters struct {
	List    *Operation `yaml:"list"`
	Redrive *Operation `yaml:"redrive"`
	Resolve *Operation `yaml:"resolve"`
}
