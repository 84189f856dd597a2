package harness

// GatewayInfo is what a profile declares about a gateway besides that it is there.
type GatewayInfo struct {
	Write   bool     `json:"write,omitempty"`   // it has an operation that changes something
	MaxAge  Duration `json:"maxAge,omitempty"`  // a stored result that is older is not safe; 0: not declared
	Refused []string `json:"refused,omitempty"` // the credentials that it has to refuse, by kind
}

// The kinds of credentials that an API has to refuse.
const (
	CredentialMalformed = "malformed" // nothing that could have been issued
	CredentialForeign   = "foreign"   // signed by somebody else
	CredentialExpired   = "expired"   // of somebody who had access once
	CredentialUnsigned  = "unsigned"  // a token that says of itself that nobody signed it
)

// RefusedPrincipal returns the name under which calls carry credentials that have
// to be refused.
func RefusedPrincipal(kind string) string { return "refused:" + kind }

// NoPrincipal has a call carry no credentials at all.
const NoPrincipal = "-"

// The headers by which a gateway tells where an answer comes from.
const (
	SourceHeader      = "X-Result-Source"
	SourceFallback    = "fallback"
	CorrelationHeader = "X-Correlation-Id" // in canonical spelling, as answers have it
)
