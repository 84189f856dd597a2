package scenarios

import (
	"fmt"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientRepeats are the scenarios about what the client sends again, when, and
// with what in it.
func clientRepeats() []harness.Scenario {
	return slices.Concat(clientRetried(), clientStatus(), clientElsewhere(), clientRetryAfter(), clientKey())
}

// clientRetried are the scenarios about failures after which the client tries
// again, although no answer told it to.
func clientRetried() []harness.Scenario {
	return []harness.Scenario{refusedRetried(), connectRetried(), brokenRetried(), malformed(), readRetried()}
}

// typed503 is how a client says that its dependency cannot be had now.
func typed503() check.Outcome {
	return check.Outcome{Failure: true, Statuses: []int{503}, Code: "DEPENDENCY_UNAVAILABLE"}
}

// succeeded is a plain answer of the dependency.
func succeeded() check.Outcome { return check.Outcome{Response: true, Statuses: []int{200}} }

// twice is one failure and one success.
func twice(pick check.Pick) judge {
	return check.Every(check.Sends(pick, 2, 2), check.Returns(pick, succeeded()), check.PassedThrough(pick))
}

func refusedRetried() harness.Scenario {
	return pacedScenario("client/refused",
		"nobody listens at first, and the door opens a moment later; the client comes back and succeeds",
		"dependency",
		func(t harness.TargetInfo) []calling {
			shut := harness.Door{Kind: harness.DoorRefused, For: harness.Duration(refusedFor(t.Client, t.Policy.Client))}
			return []calling{{label: "refused", script: harness.Script{Door: shut, Steps: []harness.Step{status(200)}}, call: freshly(t, get()), only: harness.RouteShim}}
		},
		timed(answers("SRS-RES-001.30", "refused-connection-is-retried", check.Reconnects(at("refused"), refusedFor))),
	)
}

// refusedFor is how long a door refuses: so long that the first attempt meets it
// for certain, and not so long that all the waits which a client declares may be
// over by then.
func refusedFor(c *harness.ClientInfo, p harness.ClientPolicy) time.Duration {
	const usual, least = 150 * time.Millisecond, 25 * time.Millisecond
	if c == nil || c.Backoff.Base <= 0 {
		return usual
	}
	if c.Backoff.Jitter == "full" {
		return min(usual, max(least, c.Backoff.Base.Std()/4))
	}
	var shortest time.Duration
	for n := range p.Retries {
		low, _ := c.Backoff.Bounds(n + 1)
		shortest += low
	}
	return min(usual, max(least, shortest/2))
}

// connectRetried needs a door of its own for each call, so it goes through the
// shim only.
func connectRetried() harness.Scenario {
	hung, drained := at("hung"), at("drained")
	return pacedScenario("client/connect-retried",
		"a dependency whose backlog is full never completes a connection, or does so from the second attempt on; the client tries again",
		"dependency",
		func(t harness.TargetInfo) []calling {
			full := func(d time.Duration) harness.Script {
				return harness.Script{Door: harness.Door{Kind: harness.DoorFull, For: harness.Duration(d)}, Steps: []harness.Step{status(200)}}
			}
			return []calling{
				{label: "hung", script: full(0), call: freshly(t, get()), only: harness.RouteShim},
				{label: "drained", script: full(t.Policy.Client.Connect.Std() + drainedAfter), call: freshly(t, get()), only: harness.RouteShim},
			}
		},
		timed(answers("SRS-RES-001.45", "connect-timeout-is-retried", check.Fits(allConnects, check.Every(
			check.Knocks(hung, allAttempts),
			check.Lasts(hung, check.Span{From: connecting(0), To: connecting(1)}),
			check.Returns(hung, typed503()),
			check.Sends(drained, 1, 1),
			check.Lasts(drained, check.Span{From: lessEarly(check.ConnectLimit), To: drainedBy}),
			check.Returns(drained, succeeded()))))),
	)
}

// drainedAfter is how long after the first attempt's end a full backlog drains.
const drainedAfter = 300 * time.Millisecond

// drainedBy is when a call must be over that gets in with its second attempt: a
// kernel asks again after a second.
func drainedBy(p harness.ClientPolicy) time.Duration { return 2*p.Connect.Std() + firstSYN }

// allConnects is the time that all attempts to connect need, with their waits.
func allConnects(p harness.ClientPolicy) time.Duration {
	return time.Duration(p.Retries+1)*p.Connect.Std() + part(p.Total, 0.1)
}

func lessEarly(limit func(harness.ClientPolicy) time.Duration) func(harness.ClientPolicy) time.Duration {
	return func(p harness.ClientPolicy) time.Duration { return limit(p) - check.Early }
}

func brokenRetried() harness.Scenario {
	parts := []harness.Break{harness.BreakShort, harness.BreakCut, harness.BreakChunk}
	var once, always []string
	for _, b := range parts {
		once, always = append(once, string(b)+"-once"), append(always, string(b)+"-always")
	}
	return pacedScenario("client/broken-answers",
		"a dependency breaks the connection off before or within its answer, once or always; a part of an answer is no answer, and the client tries again",
		"dependency",
		func(t harness.TargetInfo) []calling {
			var calls []calling
			for _, b := range []harness.Break{harness.BreakReset, harness.BreakClose} {
				script := answering(breaking(b), status(200))
				calls = append(calls, calling{label: string(b), script: script, call: freshly(t, get())})
				for i := range check.NeedsSample(t.Client) - 1 {
					calls = append(calls, calling{label: fmt.Sprintf("%s-again-%d", b, i+2), script: script, call: freshly(t, get())})
				}
				for _, method := range []string{"PUT", "DELETE"} {
					calls = append(calls, calling{label: fmt.Sprintf("%s-%s", b, method), script: script, call: freshly(t, harness.ClientCall{Method: method}), only: harness.RouteShim})
				}
			}
			for i, b := range parts {
				broken := harness.Step{Status: 200, Header: [][2]string{{"Content-Type", "application/json"}}, Size: 100, Break: b}
				calls = append(calls,
					calling{label: once[i], script: answering(broken, status(200)), call: freshly(t, get())},
					calling{label: always[i], script: answering(broken), call: freshly(t, get())})
			}
			return calls
		},
		answers("SRS-RES-001.31", "reset-is-retried", twice(at("reset"))),
		answers("SRS-RES-001.32", "empty-reply-is-retried", twice(at("close"))),
		supplement(answers("SRS-RES-001.65", "repeated-by-method-after-a-break", check.Retrying(twice(at("reset-PUT", "reset-DELETE", "close-PUT", "close-DELETE"))))),
		supplement(needs(timed(answers("SRS-RES-001.25", "no-hot-loop-after-a-break", check.Retrying(check.Every(
			check.WaitsNoLess(check.Labelled("reset@", "reset-again-")),
			check.WaitsNoLess(check.Labelled("close@", "close-again-")))))), "declared-policy")),
		answers("SRS-RES-001.33", "part-of-an-answer-is-none", check.Every(
			twice(at(once...)),
			check.SendsBy(at(always...), allAttempts),
			check.Returns(at(always...), typed503()))),
	)
}

// malformed gets no success at all from its dependency, so that it is bounded by
// nothing but the client itself.
func malformed() harness.Scenario {
	garbage, flood := at("garbage"), at("interim-flood")
	return pacedScenario("client/malformed",
		"a dependency answers with bytes that are not HTTP, or with interim answers without an end; the client gives up in time",
		"dependency",
		func(t harness.TargetInfo) []calling {
			return []calling{
				{label: "garbage", script: answering(breaking(harness.BreakGarbage)), call: freshly(t, get())},
				{label: "interim-flood", script: answering(breaking(harness.BreakInterim)), call: freshly(t, get())},
			}
		},
		timed(answers("SRS-RES-001.42", "malformed-answer-is-a-failure", check.Every(
			check.SendsBy(garbage, upToAllAttempts),
			check.Lasts(garbage, check.UpTo(check.TotalLimit)),
			check.Returns(garbage, typed503())))),
		supplement(timed(answers("SRS-RES-001.42", "interim-answers-are-bounded", check.Every(
			check.SendsBy(flood, upToAllAttempts),
			check.Lasts(flood, check.UpTo(check.TotalLimit)),
			check.Returns(flood, check.Outcome{Failure: true}))))),
	)
}

func readRetried() harness.Scenario {
	once, silent := check.Labelled("silent-once@"), check.Labelled("silent-once@", "silent-once-again-")
	return pacedScenario("client/read-retried",
		"a dependency is silent once and answers the second attempt; the client gives the first one up and succeeds",
		"dependency",
		func(t harness.TargetInfo) []calling {
			script := answering(breaking(harness.BreakSilent), status(200))
			calls := []calling{{label: "silent-once", script: script, call: freshly(t, get())}}
			for i := range check.NeedsSample(t.Client) - 1 {
				calls = append(calls, calling{label: fmt.Sprintf("silent-once-again-%d", i+2), script: script, call: freshly(t, get())})
			}
			return calls
		},
		timed(answers("SRS-RES-001.34", "read-timeout-is-retried", check.Fits(readAndWait, check.Every(
			twice(once),
			check.Lasts(once, check.Span{From: lessEarly(check.ReadLimit), To: check.UpTo(check.TotalLimit).To}))))),
		supplement(needs(timed(answers("SRS-RES-001.25", "no-hot-loop-after-silence", check.Fits(readAndWait, check.Retrying(check.WaitsNoLess(silent))))), "declared-policy")),
	)
}

// readAndWait is the time that one attempt in vain needs, with a wait.
func readAndWait(p harness.ClientPolicy) time.Duration { return part(p.Read, 1.2) }
