package observe

import (
	"context"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// MaxRequests bounds what is sent, all together.
const MaxRequests = 25

// Options say what is observed and how it is reached.
type Options struct {
	URL     string // of the target
	Name    string // for the evidence
	Remote  bool   // it is not this machine
	Owned   bool   // the profile says that its writer may disturb the target
	CA      string // file of certificates that the target is trusted by, or empty
	Path    string // of the checkout
	Body    Body
	Dialect string            // preset to begin with, or empty: the one that fits best
	Presets []harness.Dialect // the one of the requirements first
	// Response tells where a preset of that name expects the ids in answers.
	Response   func(preset string) Response
	Identities []Identity // who acts: at most two, of one tenant
	// Open opens the target of a profile so that its requests can be sent.
	Open func(ctx context.Context, profile []byte) (target *harness.Target, undo func(context.Context) error, err error)
}

// Response is where answers name what was made: jq expressions.
type Response struct{ RequestID, OrderID string }

// trust is the member of target that names the certificates, if there are any.
func (o Options) trust() string {
	if o.CA == "" {
		return ""
	}
	return fmt.Sprintf(", ca: %q", o.CA)
}

// Identity is somebody who may act. The credential itself is known to Open only.
type Identity struct {
	Name     string // in the profile
	Header   string // that carries the credential
	Prefix   string // before the credential, for example "Bearer "
	Variable string // of the environment that holds the credential
}

// yaml returns the identity as a mapping of the profile.
func (i Identity) yaml(tenant, roles string, further ...string) string {
	text := "{tenant: " + tenant
	if roles != "" {
		text += ", roles: [" + roles + "]"
	}
	for _, member := range further {
		text += ", " + member
	}
	if i.Header != "" {
		text += ", header: {" + i.Header + `: "` + i.Prefix + "${" + i.Variable + `}"}`
	}
	return text + "}"
}

// as returns the same kind of credential for another name.
func (i Identity) as(name string) Identity {
	if i.Header == "" {
		i.Header, i.Prefix = "Authorization", "Bearer "
	}
	i.Name, i.Variable = name, strings.ToUpper(name)+"_TOKEN"
	return i
}
