package scenarios

import (
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientResult are the scenarios about what a caller gets back, and about the id
// that ties it to what was sent.
func clientResult() []harness.Scenario {
	return []harness.Scenario{resultUnchanged(), correlationID()}
}

// pieces are chunks of a large body and the time between two of them, so that it
// arrives slowly and within every limit.
const (
	largeBody = 512 << 10
	pieceGap  = 20 * time.Millisecond
)

// resultUnchanged sends bodies that are easily harmed: one that is large and
// slow, one whose JSON another writer would write otherwise, one that is no text.
func resultUnchanged() harness.Scenario {
	lines := [][2]string{{"Content-Type", "application/vnd.catalog+json; v=2"}, {"ETag", `"a-1"`}, {"Content-Language", "de, en"}, {"X-Catalog-Note", "as it is, with a comma"}}
	step := func(code int, body string) harness.Step { return harness.Step{Status: code, Header: lines, Body: body} }
	const odd = "{ \"b\" : 1.0,\r\n\"a\":1e3, \"a\":\"\\u00e9\\/<&>\" }\n\n"
	large := harness.Step{Status: 200, Header: lines, Size: largeBody, Chunked: true, Every: harness.Duration(pieceGap)}
	links := [][2]string{{"Link", `</items/2>; rel="next"`}, {"Link", `</items/9>; rel="last"`}}
	cookies := [][2]string{{"Set-Cookie", "a=1; Path=/"}, {"Set-Cookie", "b=2; Path=/"}} // a gateway may keep them to itself
	plain := at("large", "odd", "binary", "created", "partial", "no-content", "empty", "links", "cookies")
	return pacedScenario("client/result-unchanged",
		"a dependency succeeds with bodies and headers that are easily harmed, or without a body; they come back as they were sent",
		"dependency",
		func(t harness.TargetInfo) []calling {
			return []calling{
				{label: "large", script: answering(large), call: get()},
				{label: "odd", script: answering(step(200, odd)), call: get()},
				{label: "binary", script: answering(step(200, "\x00\xff\xfe{\x80\r\n\x1f\x8b")), call: get()},
				{label: "created", script: answering(step(201, odd)), call: get()},
				{label: "partial", script: answering(step(203, strings.Repeat(odd, 3))), call: get()},
				{label: "no-content", script: answering(step(204, "")), call: get()},
				{label: "empty", script: answering(step(200, "")), call: get()},
				{label: "links", script: answering(harness.Step{Status: 200, Header: slices.Concat(lines, links), Body: odd}), call: get()},
				{label: "cookies", script: answering(harness.Step{Status: 200, Header: slices.Concat(lines, cookies), Body: odd}), call: get(), only: harness.RouteShim},
				{label: "retried", script: answering(append(times(min(t.Policy.Client.Retries, 1), status(503)), large)...), call: get()},
			}
		},
		answers("SRS-RES-001.70", "response-is-unchanged", check.Every(
			check.PassedThrough(check.All(), lines...),
			check.PassedThrough(at("links"), links...),
			check.PassedThrough(at("cookies"), cookies...),
			check.Sends(plain, 1, 1))),
	)
}

// correlationID has calls made with an id, without one, and with ids that nobody
// must pass on. What holds a line break no HTTP request can bring to a gateway.
func correlationID() harness.Scenario {
	without, hostile := get(), func(id string) harness.ClientCall {
		call := get()
		call.CorrelationID = id
		return call
	}
	without.CorrelationID = "-"
	ends := at("answered", "retried", "refused", "failing", "reset")
	return pacedScenario("client/correlation",
		"calls bring a correlation id, bring none, or bring one that is hostile; each attempt and what comes back carry one that is the call's own",
		"dependency",
		func(t harness.TargetInfo) []calling {
			fails := times(min(t.Policy.Client.Retries, 2), status(503))
			calls := []calling{
				{label: "answered", script: answering(status(200)), call: get()},
				{label: "retried", script: answering(append(slices.Clone(fails), status(200))...), call: get()},
				{label: "refused", script: answering(status(404)), call: get()},
				{label: "failing", script: answering(status(503)), call: get()},
				{label: "reset", script: answering(breaking(harness.BreakReset)), call: get()},
				{label: "absent-answered", script: answering(status(200)), call: without},
				{label: "absent-retried", script: answering(append(slices.Clone(fails), status(200))...), call: without},
				{label: "absent-failing", script: answering(status(503)), call: without},
				{label: "hostile-line", script: answering(status(200)), call: hostile("corr-1\r\n" + check.InjectedHeader + ": yes"), only: harness.RouteShim},
				{label: "hostile-long", script: answering(status(200)), call: hostile("corr-" + strings.Repeat("x", 8<<10))},
				{label: "hostile-text", script: answering(status(200)), call: hostile("corr-ключ-\u00e9")},
			}
			for i := range calls {
				calls[i].call = freshly(t, calls[i].call)
			}
			return calls
		},
		answers("SRS-RES-001.71", "correlation-id-is-kept", check.Every(
			check.CorrelationKept(ends),
			check.Returns(at("answered", "retried"), check.Outcome{Response: true, Statuses: []int{200}}),
			check.Returns(at("failing", "reset"), check.Outcome{Failure: true}))),
		answers("SRS-RES-001.72", "correlation-id-is-made-once", check.CorrelationMade(check.Labelled("absent-"))),
		answers("SRS-RES-001.73", "hostile-correlation-id-is-not-passed-on", check.CorrelationGuarded(check.Labelled("hostile-"), at("answered"))),
	)
}
