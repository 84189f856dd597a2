package scenarios

import (
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientConnect are the scenarios about the limit of a connection attempt.
func clientConnect() []harness.Scenario {
	return []harness.Scenario{connectLimit(), handshakeLimit(), lookupLimit()}
}

// connectLimit needs a door of its own for each call, so it goes through the
// shim only: a gateway knows one address of its dependency.
func connectLimit() harness.Scenario {
	probe := at("full-probe")
	return pacedScenario("client/connect-limit",
		"a dependency whose backlog is full never completes a connection; each attempt to connect ends at its limit, and leaves no dial behind",
		"dependency",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			full := harness.Script{Door: harness.Door{Kind: harness.DoorFull}}
			return []calling{
				{label: "full-probe", script: full, call: post(""), only: harness.RouteShim},
				{label: "full-get", script: full, call: get(), only: harness.RouteShim},
				// The door opens long after the call is over: a dial that was left behind
				// gets in then.
				{label: "left-dial", script: harness.Script{Door: harness.Door{Kind: harness.DoorFull, For: 2 * p.Connect}, Steps: []harness.Step{status(200)}},
					call: post(""), only: harness.RouteShim, watch: leftDialWatch(p)},
			}
		},
		timed(answers("SRS-RES-001.01", "connecting-ends-at-its-limit", check.NoLooser(check.LimitConnect, check.Every(
			check.Lasts(probe, check.Around(check.ConnectLimit)),
			check.Lasts(at("full-get"), check.Span{From: connecting(0), To: connecting(1)}),
			check.Returns(at("full-probe", "full-get"), check.Outcome{Failure: true}),
		)))),
		supplement(timed(answers("SRS-RES-001.15", "no-dial-goes-on", check.QuietAfterReturn(at("left-dial"), leftDialWatch)))),
		needs(timed(answers("SRS-RES-001.96", "declared-connect-limit-is-true", check.Lasts(probe, check.Around(check.ConnectLimit)))), "declared-policy"),
	)
}

// leftDialWatch is long enough for a dial that was left behind to ask again once
// the door is open.
func leftDialWatch(p harness.ClientPolicy) time.Duration { return part(p.Connect, 4.5) }

// connecting is how long a call takes whose attempts all end while they connect,
// with the waits between them: not as much as so many limits more, or than the
// whole call may take.
func connecting(more int) func(harness.ClientPolicy) time.Duration {
	return func(p harness.ClientPolicy) time.Duration {
		limits := part(p.Connect, float64(p.Retries+1+more))
		if more == 0 {
			return min(limits, p.Total.Std()) - check.Early
		}
		return min(limits, p.Total.Std()+check.Cleanup)
	}
}

func handshakeLimit() harness.Scenario {
	all := at("no-hello")
	return pacedScenario("client/handshake-limit",
		"a dependency accepts the connection and never answers the TLS handshake; connecting still ends at its limit",
		"dependency tls-trust",
		func(t harness.TargetInfo) []calling {
			return []calling{{label: "no-hello", script: harness.Script{Door: harness.Door{Kind: harness.DoorSilent}}, call: post(""), only: harness.RouteShim,
				watch: 2 * t.Policy.Client.Connect.Std()}}
		},
		timed(answers("SRS-RES-001.02", "connecting-covers-the-handshake", check.Every(
			check.Lasts(all, check.Around(check.ConnectLimit)),
			check.Returns(all, check.Outcome{Failure: true})))),
		supplement(timed(answers("SRS-RES-001.16", "no-handshake-goes-on", check.ConnectionsLeft(all, 0)))),
	)
}

// lookupLimit shows that the client finds its dependencies by the run's resolver
// before it judges what becomes of a name that this one keeps to itself.
func lookupLimit() harness.Scenario {
	silent, told := at("no-name"), at("named")
	return pacedScenario("client/lookup-limit",
		"the resolver never tells where a dependency is; connecting still ends at its limit",
		"dependency resolver",
		func(harness.TargetInfo) []calling {
			behind := func(k harness.DoorKind) harness.Script {
				return harness.Script{Door: harness.Door{Kind: k}, Steps: []harness.Step{status(200)}}
			}
			return []calling{
				{label: "no-name", script: behind(harness.DoorUntold), call: post(""), only: harness.RouteShim},
				{label: "named", script: behind(harness.DoorNamed), call: get(), only: harness.RouteShim},
			}
		},
		timed(answers("SRS-RES-001.03", "connecting-covers-the-lookup", check.WhereResolved(silent, told, check.Every(
			check.Lasts(silent, check.Around(check.ConnectLimit)),
			check.Returns(silent, check.Outcome{Failure: true}))))),
	)
}
