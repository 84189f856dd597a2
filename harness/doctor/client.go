package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// client asks the client's shim who it is, and takes over what only that can
// tell: without it, capabilities that are there would be said to be missing.
func (x *examination) client(ctx context.Context) {
	if x.subject.Shim == "" {
		return
	}
	target, undo, err := x.subject.Open(ctx, Part{Kind: PartClient})
	if err != nil {
		x.claimBroken(harness.CapDependency, "client", "start the shim, or correct client.shim", err.Error())
		return
	}
	defer x.undo(ctx, undo)
	told := []string{}
	for _, c := range target.Info.Client.Capabilities {
		told = append(told, string(c))
		if !x.claimed(c) {
			x.subject.Info.Capabilities = append(slices.Clone(x.subject.Info.Capabilities), c)
		}
	}
	offers := "nothing beyond plain calls"
	if len(told) > 0 {
		offers = strings.Join(told, ", ")
	}
	x.say(harness.CapDependency, NotTried, "the shim answers; a run begins with plain calls")
	x.add("client", OK, "", "%s %s answers behind its shim and offers %s", target.Info.Client.Name, target.Info.Client.Version, offers)
}

// gateway opens the gateway's dependency and gives it back.
func (x *examination) gateway(ctx context.Context) {
	if x.subject.GatewayWay == "" {
		return
	}
	_, undo, err := x.subject.Open(ctx, Part{Kind: PartGateway})
	if err == nil {
		err = undo(ctx)
	}
	if err != nil {
		x.claimBroken(harness.CapGateway, "gateway", "", err.Error())
		return
	}
	x.say(harness.CapGateway, NotTried, "its dependency opens; whether the gateway calls it shows with the plain calls of a run")
	x.add("gateway", OK, "", "%s", x.subject.GatewayWay)
}
