package profile

import (
	"net/http"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Gateway is an operation of the target that calls another system through the
// API client under test: a read route, and a keyed one that changes something.
type Gateway struct {
	Operation    `yaml:",inline"`
	Write        *Operation                   `yaml:"write" jsonschema_description:"The keyed operation that calls the same dependency; its path holds {{sku}}, too."`
	Dependency   *GatewayDependency           `yaml:"dependency" jsonschema:"required"`
	MaxAge       harness.Duration             `yaml:"maxAge" jsonschema_description:"A stored result that is older is not served in the dependency's place."`
	Refused      map[string]map[string]string `yaml:"refused" jsonschema_description:"The same as refused at the top, which is its place now."`
	SeedFallback string                       `yaml:"seedFallback" jsonschema:"enum=call" jsonschema_description:"How a result is stored that is safe to fall back to. call: by a plain call that succeeds."`
}

// GatewayDependency is the system behind the gateway. It is played by the run,
// which tells the cases apart by the item in the path.
type GatewayDependency struct {
	Listen string `yaml:"listen" jsonschema_description:"Loopback address, host:port, that the gateway calls."`
	Attach string `yaml:"attach" jsonschema_description:"URL of a supervisor that points the gateway at us, under a lease."`
	Name   string `yaml:"name" jsonschema_description:"The supervisor's name for it; catalog if left out."`
}

// Client points at the shim of an API client.
type Client struct {
	Shim string `yaml:"shim" jsonschema:"required" jsonschema_description:"Loopback URL of the shim, a server in the client's own process."`
	// Command starts another such shim. It is no part of a declaration: only who
	// started the first one knows it.
	Command []string `yaml:"-"`

	Apart bool `yaml:"apart" jsonschema_description:"The shim's process is none of the target's, and its client makes no calls of the target's: what is tried on the one may be tried while the other is disturbed."`
}

// seedByCall is the one way to store a result that is safe to fall back to.
const seedByCall = "call"

func (g *Gateway) complete() {
	g.Operation.complete()
	if g.Write != nil {
		g.Write.Keyed = true
		g.Write.complete()
	}
	if d := g.Dependency; d != nil {
		d.Listen = loopbackByDefault(d.Listen)
		if d.Attach != "" && d.Name == "" {
			d.Name = "catalog"
		}
	}
}

func (p *Profile) validateGateway(src *source) {
	g := p.Gateway
	if g == nil {
		return
	}
	p.gatewayOperation(src, "gateway", g.Operation)
	if g.Method != http.MethodGet {
		src.wrong("gateway.method", "must be GET; an operation that changes something is gateway.write")
	}
	if g.Write != nil {
		p.gatewayOperation(src, "gateway.write", *g.Write)
		if g.Write.Method == http.MethodGet || g.Write.Method == http.MethodHead {
			src.wrong("gateway.write.method", "must be one that changes something, for example POST")
		}
	}
	validateRefused(src, "gateway.refused", g.Refused)
	if g.SeedFallback != "" {
		src.oneOf("gateway.seedFallback", g.SeedFallback, []string{seedByCall})
	}
	switch d := g.Dependency; {
	case d == nil:
		src.wrong("gateway.dependency", "is required: listen, the address that the gateway calls, or attach, the URL of a supervisor that points it at us")
	case (d.Listen == "") == (d.Attach == ""):
		src.wrong("gateway.dependency", "needs exactly one of listen and attach")
	case d.Attach != "":
		src.url("gateway.dependency.attach", d.Attach)
		if _, taken := p.Dependencies[d.Name]; taken {
			src.wrong("gateway.dependency.name", "is %s, as is one of dependencies: the supervisor could point only one of them at us", src.show("gateway.dependency.name", d.Name))
		}
	case d.Name != "":
		src.wrong("gateway.dependency.name", "is the supervisor's name for it, so it goes with attach")
	default:
		src.listen("gateway.dependency.listen", d.Listen)
	}
}

// gatewayOperation checks one of the gateway's routes. Its item is all that says
// which case a call of the dependency belongs to.
func (p *Profile) gatewayOperation(src *source, path string, op Operation) {
	p.operation(src, path, op, []string{"sku"})
	if before, _, _ := strings.Cut(op.Path, "?"); !slices.Contains(openNames(nil, before), "sku") {
		src.wrong(path+".path", "must hold {{sku}}: the item says which case a call of the dependency belongs to")
	}
	for _, unused := range []string{"variants", "version", "principal", "keyed"} {
		if _, given := src.at[path+"."+unused]; given {
			src.wrong(path+"."+unused, "has no use here: the gateway is asked for an item, or writes it with a key, by whom a scenario says")
		}
	}
	if op.Response != nil && path != "gateway" {
		src.wrong(path+".response", "has no use here: answers to a write are read as gateway.response says")
	}
}

func (p *Profile) validateClient(src *source) {
	if p.Client == nil {
		return
	}
	if u := src.url("client.shim", p.Client.Shim); u != nil && !isLoopback(u.Hostname()) {
		src.wrong("client.shim", "must be on this machine: the dependencies that the client is made to call listen on loopback only")
	}
}

// dependsOnUs reports whether a client, or a gateway before one, can be made to
// call us.
func (p *Profile) dependsOnUs() bool { return p.Client != nil || p.gatewayed() }

func (p *Profile) gatewayed() bool { return p.Gateway != nil && p.Gateway.Dependency != nil }

func (p *Profile) seedsFallback() bool { return p.gatewayed() && p.Gateway.SeedFallback == seedByCall }

// ClientPolicy returns the limits of the client under test: those that the
// profile declares, and for the others what the client declares itself.
func (p *Profile) ClientPolicy(declared harness.ClientPolicy) harness.ClientPolicy {
	given := func(field string) bool {
		if p.source == nil {
			return false
		}
		_, there := p.source.at["policy.client."+field]
		return there
	}
	if given("connect") {
		declared.Connect = p.Policy.Client.Connect
	}
	if given("read") {
		declared.Read = p.Policy.Client.Read
	}
	if given("total") {
		declared.Total = p.Policy.Client.Total
	}
	if given("retries") {
		declared.Retries = p.Policy.Client.Retries
	}
	return declared
}
