package scenarios

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientCancel are the scenarios in which the caller ends the call.
func clientCancel() []harness.Scenario {
	return []harness.Scenario{cancelled(), shorterDeadline()}
}

// cancelled goes through the shim only: the link through which a gateway is called
// lets an exchange end in peace when the caller hangs up, so that the gateway
// could not know.
func cancelled() harness.Scenario {
	return pacedScenario("client/cancelled",
		"the caller cancels before the call begins, while an attempt connects, waits for its answer or reads it, and while the client waits for its next attempt; everything stops at once",
		"dependency cancel",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			give := func(c harness.ClientCall, after time.Duration) harness.ClientCall {
				c.CancelAfter = after
				return c
			}
			calls := []calling{
				{label: "before", script: answering(status(200)), call: give(get(), -1)},
				{label: "in-read", script: answering(breaking(harness.BreakSilent)), call: give(get(), cancelAfter(p))},
				{label: "in-body", script: answering(harness.Step{Status: 200, Break: harness.BreakHeaders}), call: give(get(), cancelAfter(p))},
				{label: "connecting", script: harness.Script{Door: harness.Door{Kind: harness.DoorFull}}, call: give(get(), cancelConnecting(p))},
			}
			// Only a wait that the dependency asks for is long enough to be cancelled in,
			// and it asks in whole seconds. Who does not retry waits for nothing.
			if seconds := int(part(p.Total, 0.4) / time.Second); p.Retries > 0 && time.Duration(seconds)*time.Second > cancelAfter(p) {
				calls = append(calls, calling{label: "in-wait", call: give(get(), cancelAfter(p)),
					script: answering(status(503, [2]string{"Retry-After", fmt.Sprint(seconds)}))})
			}
			for i := range calls {
				calls[i].only, calls[i].watch = harness.RouteShim, cancelWatch(p)
			}
			return calls
		},
		timed(answers("SRS-RES-001.13", "stops-when-cancelled", check.Every(
			check.StopsWhenCancelled(at("before"), atStart, 0),
			check.StopsWhenCancelled(at("connecting"), cancelConnecting, 0),
			check.StopsWhenCancelled(at("in-read", "in-body", "in-wait"), cancelAfter, 1),
			check.QuietAfterReturn(at("before", "connecting", "in-read", "in-body", "in-wait"), cancelWatch)))),
	)
}

func atStart(harness.ClientPolicy) time.Duration { return 0 }

// cancelAfter is when the caller cancels: an attempt is under way by then, and
// far from its limit.
func cancelAfter(p harness.ClientPolicy) time.Duration { return part(p.Read, 0.2) }

// cancelConnecting is when the caller cancels an attempt that is far from its
// limit of connecting.
func cancelConnecting(p harness.ClientPolicy) time.Duration {
	return min(cancelAfter(p), part(p.Connect, 0.5))
}

// cancelWatch is past the end of the wait that the dependency asked for, and of
// the longest attempt.
func cancelWatch(p harness.ClientPolicy) time.Duration {
	return cancelAfter(p) + max(p.Read.Std(), part(p.Total, 0.6))
}

func shorterDeadline() harness.Scenario {
	all := at("silent")
	return pacedScenario("client/shorter-deadline",
		"the caller has less time than the client's own deadline; the call ends when the caller's time is over",
		"dependency cancel",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			c := get()
			c.Deadline = callerDeadline(p)
			return []calling{{label: "silent", script: answering(breaking(harness.BreakSilent)), call: c, only: harness.RouteShim, watch: callerDeadline(p) + part(p.Read, 0.4)}}
		},
		timed(answers("SRS-RES-001.18", "shorter-deadline-wins", check.Every(
			check.Lasts(all, check.UpTo(callerDeadline)),
			check.Returns(all, check.Outcome{Failure: true}),
			check.SendsBy(all, upToAllAttempts)))),
		supplement(timed(answers("SRS-RES-001.14", "exchange-is-cancelled-at-the-callers-deadline", check.ClosedAfterReturn(all)))),
	)
}

// callerDeadline is less than the limit of an attempt, so that no limit of the
// client's own can stand in for it.
func callerDeadline(p harness.ClientPolicy) time.Duration {
	return min(part(p.Total, 0.3), part(p.Read, 0.6))
}
