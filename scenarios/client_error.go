package scenarios

import (
	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientError are the scenarios about what a caller gets where the dependency
// gives nothing.
func clientError() []harness.Scenario { return []harness.Scenario{typedError(), retryableError()} }

// upstreamText is what only the dependency says.
const upstreamText = "only the dependency says this"

// secretText is what only the caller knows: in its credentials, and in a URL as it
// must not, and often does, stand there.
const secretText = "b1f0c3aa-caller-secret"

// failingWith is a refusal of the dependency that may pass by itself.
func failingWith(code int) harness.Step {
	return harness.Step{Status: code, Header: [][2]string{{"Content-Type", "application/json"}}, Body: `{"code":"UPSTREAM","message":"` + upstreamText + `","correlationId":"upstream","retryable":true}`}
}

// typedError has calls made of dependencies that fail in every way there is. The
// ways that need a door, or a POST without a key, a gateway's address cannot show.
func typedError() harness.Scenario {
	down := []string{"failing-503", "failing-429", "reset", "refused"}
	broken := []string{"closing", "truncated", "reset-in-body", "bad-chunk", "garbage", "truncated-post", "garbage-post"}
	silent := []string{"silent", "silent-post", "stalled", "flood"}
	every := at(append(append(append([]string{}, down...), broken...), silent...)...)
	return pacedScenario("client/typed-error",
		"dependencies fail in fifteen ways, once and for good; no call succeeds, and what comes back says what it is in words of its own",
		"dependency",
		func(t harness.TargetInfo) []calling {
			cut := func(b harness.Break) harness.Script {
				return answering(harness.Step{Status: 200, Size: 4 << 10, Break: b})
			}
			calls := []calling{
				{label: "failing-503", script: answering(failingWith(503)), call: get()},
				{label: "failing-429", script: answering(failingWith(429)), call: get()},
				{label: "reset", script: answering(breaking(harness.BreakReset)), call: get()},
				{label: "refused", script: harness.Script{Door: harness.Door{Kind: harness.DoorRefused}}, call: get(), only: harness.RouteShim},
				{label: "closing", script: answering(breaking(harness.BreakClose)), call: get()},
				{label: "truncated", script: cut(harness.BreakShort), call: get()},
				{label: "reset-in-body", script: cut(harness.BreakCut), call: get()},
				{label: "bad-chunk", script: cut(harness.BreakChunk), call: get()},
				{label: "garbage", script: answering(breaking(harness.BreakGarbage)), call: get()},
				{label: "truncated-post", script: cut(harness.BreakShort), call: post(""), only: harness.RouteShim},
				{label: "garbage-post", script: answering(breaking(harness.BreakGarbage)), call: post(""), only: harness.RouteShim},
				{label: "silent", script: answering(breaking(harness.BreakSilent)), call: get()},
				{label: "silent-post", script: answering(breaking(harness.BreakSilent)), call: post(""), only: harness.RouteShim},
				{label: "stalled", script: cut(harness.BreakHeaders), call: get()},
				{label: "flood", script: answering(breaking(harness.BreakInterim)), call: get()},
			}
			for i := range calls {
				calls[i].call = freshly(t, calls[i].call)
				calls[i].query = "token=" + secretText
				calls[i].call.Header = append(calls[i].call.Header, [2]string{"X-Api-Key", secretText})
			}
			return calls
		},
		answers("SRS-RES-001.82", "no-success-is-made-up", check.Returns(every, check.Outcome{Failure: true})),
		timed(answers("SRS-RES-001.83", "deadline-is-504", check.NoLooser(check.LimitTotal, check.TimedOut(at("silent", "silent-post"))))),
		answers("SRS-RES-001.84", "unavailability-is-503", check.Every(
			check.Returns(at(down...), check.Outcome{Failure: true, Statuses: []int{503}, Code: check.CodeUnavailable}),
			check.Unrepeated(at("failing-503", "failing-429"), upstreamText))),
		answers("SRS-RES-001.85", "error-object", check.ErrorObject(every)),
		supplement(answers("SRS-RES-001.87", "errors-keep-secrets", check.Unrepeated(at("failing-503", "failing-429", "reset", "closing", "garbage", "truncated", "silent"), upstreamText, secretText))),
	)
}

// transient are the failures that may pass by themselves.
func transient() []labelled {
	return []labelled{{"429", status(429)}, {"503", status(503)}, {"reset", breaking(harness.BreakReset)}, {"silent", breaking(harness.BreakSilent)}}
}

// retryableError asks whether a caller may believe what an error says about the
// same call made again: it may where that is safe, and may not where a second
// request could have a second effect.
func retryableError() harness.Scenario {
	yes, no := true, false
	var safe, unsafe []string
	for _, f := range transient() {
		safe, unsafe = append(safe, "get-"+f.label, "keyed-"+f.label), append(unsafe, "post-"+f.label)
	}
	return wholeCall(pacedScenario("client/retryable",
		"a dependency fails in four ways that may pass; the error says that the same call may be made again only where that is safe",
		"dependency",
		func(t harness.TargetInfo) []calling {
			var calls []calling
			for _, f := range transient() {
				calls = append(calls,
					calling{label: "get-" + f.label, script: answering(f.step), call: freshly(t, get())},
					calling{label: "keyed-" + f.label, script: answering(f.step), call: freshly(t, post(ownKey)), only: harness.RouteShim},
					calling{label: "post-" + f.label, script: answering(f.step), call: freshly(t, post("")), only: harness.RouteShim})
			}
			return calls
		},
		needs(answers("SRS-RES-001.86", "retryable-is-true", check.Every(
			check.Returns(at(safe...), check.Outcome{Failure: true, Retryable: &yes}),
			check.Returns(at(unsafe...), check.Outcome{Failure: true, Retryable: &no}))), "idempotency-key"),
		supplement(answers("SRS-RES-001.85", "error-object-of-each-method", check.ErrorObject(at(append(unsafe, "get-503")...)))),
	))
}
