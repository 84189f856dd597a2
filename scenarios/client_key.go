package scenarios

import (
	"fmt"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientKey are the scenarios about which calls may be sent again, and what they
// have to carry then.
func clientKey() []harness.Scenario {
	return []harness.Scenario{unkeyed(), unkeyedDoors(), keyed(), sameRequest(), madeKeys()}
}

// labelled is a step with a name for the cases that meet it.
type labelled struct {
	label string
	step  harness.Step
}

// tempting are the answers, and what stands for one, after which a call that may
// be repeated would be.
func tempting() []labelled {
	return []labelled{
		{"503", status(503)}, {"429", status(429)},
		{"reset", breaking(harness.BreakReset)}, {"close", breaking(harness.BreakClose)}, {"silent", breaking(harness.BreakSilent)},
	}
}

// unkeyed has calls made that change something and have no key. A gateway need
// not take one, so they go through the shim only.
func unkeyed() harness.Scenario {
	patch := post("")
	patch.Method = "PATCH"
	empty := post("")
	empty.Header = append(empty.Header, [2]string{"Idempotency-Key", ""})
	var posts, patches []string
	for _, t := range tempting() {
		posts, patches = append(posts, "post-"+t.label), append(patches, "patch-"+t.label)
	}
	return pacedScenario("client/unkeyed",
		"a dependency fails in five ways, or is only slow, while calls without a key change something; they are sent once, and nobody makes up a key for them",
		"dependency",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			slow := answering(after(part(p.Read, 0.6), status(200)))
			calls := []calling{
				{label: "slow-post", script: slow, call: post("")}, {label: "slow-patch", script: slow, call: patch},
				{label: "slow-keyed", script: slow, call: post(ownKey)}, {label: "slow-get", script: slow, call: get()},
				{label: "blank-key", script: answering(status(503)), call: post("  ")}, {label: "empty-key", script: answering(status(503)), call: empty},
				{label: "get", script: answering(status(503)), call: get()},
			}
			for i, t := range tempting() {
				calls = append(calls,
					calling{label: posts[i], script: answering(t.step), call: post("")},
					calling{label: patches[i], script: answering(t.step), call: patch})
			}
			for i := range calls {
				calls[i].only, calls[i].call = harness.RouteShim, freshly(t, calls[i].call)
				calls[i].watch = unkeyedWatch(p)
			}
			return calls
		},
		answers("SRS-RES-001.60", "never-replayed-without-a-key", check.NeverReplayed(at(posts...), 1)),
		answers("SRS-RES-001.61", "patch-is-as-post", check.NeverReplayed(at(patches...), 1)),
		timed(answers("SRS-RES-001.61", "slow-is-no-reason-to-send-again", check.Every(
			check.NeverReplayed(at("slow-patch", "slow-post"), 1),
			check.Sends(at("slow-keyed", "slow-get"), 1, 1)))),
		answers("SRS-RES-001.66", "no-key-is-made-up", check.NoKeyInvented(at("get", "slow-get", "slow-post", "slow-patch", "post-503", "patch-503"))),
		answers("SRS-RES-001.67", "blank-key-is-none", check.NeverReplayed(at("blank-key", "empty-key"), 1)),
	)
}

// unkeyedDoors shows that not even a failure before anything was sent makes an
// exception. A call that is late would meet an open door, so times count here.
func unkeyedDoors() harness.Scenario {
	return pacedScenario("client/unkeyed-doors",
		"a dependency refuses the connection, or never completes it, while calls without a key change something; the client does not come back",
		"dependency",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			refused := harness.Door{Kind: harness.DoorRefused, For: harness.Duration(refusedFor(t.Client, p))}
			calls := []calling{
				{label: "post-refused", script: harness.Script{Door: refused, Steps: []harness.Step{status(200)}}, call: post("")},
				{label: "post-hung", script: harness.Script{Door: harness.Door{Kind: harness.DoorFull}}, call: post("")},
			}
			for i := range calls {
				calls[i].only, calls[i].call = harness.RouteShim, freshly(t, calls[i].call)
				calls[i].watch = unkeyedWatch(p)
			}
			return calls
		},
		timed(answers("SRS-RES-001.60", "never-tried-again-without-a-key", check.NeverReplayed(at("post-refused", "post-hung"), 0))),
	)
}

// unkeyedWatch is long enough for a call to come back behind its caller's back.
func unkeyedWatch(p harness.ClientPolicy) time.Duration {
	return max(p.Read.Std()+check.Cleanup, p.Connect.Std()+check.Cleanup)
}

// keyed tries calls that a key makes safe to repeat: what all their attempts have
// in common is what makes them so.
func keyed() harness.Scenario {
	sizes := []int{0, 1, 64 << 10, 1<<20 + 1}
	var answered, reset []string
	for _, size := range sizes {
		answered, reset = append(answered, fmt.Sprintf("body-%d-503", size)), append(reset, fmt.Sprintf("body-%d-reset", size))
	}
	bodies := slices.Concat(answered, reset)
	keys := at("keyed-503", "keyed-429", "keyed-reset", "keyed-patch")
	return pacedScenario("client/keyed",
		"a dependency fails for good while calls with a key change something; all attempts carry the same key and the same body",
		"dependency",
		func(t harness.TargetInfo) []calling {
			patch := post(ownKey)
			patch.Method = "PATCH"
			calls := []calling{
				{label: "keyed-503", script: answering(status(503)), call: post(ownKey)},
				{label: "keyed-429", script: answering(status(429)), call: post(ownKey)},
				{label: "keyed-reset", script: answering(breaking(harness.BreakReset)), call: post(ownKey)},
				{label: "keyed-patch", script: answering(status(503)), call: patch, only: harness.RouteShim},
			}
			for i, size := range sizes { // a gateway writes what the profile says
				call := post(ownKey)
				call.Header = [][2]string{{"Content-Type", "application/octet-stream"}}
				call.Body = harness.Step{Size: size}.Content()
				calls = append(calls,
					calling{label: answered[i], script: answering(status(503)), call: call, only: harness.RouteShim},
					calling{label: reset[i], script: answering(breaking(harness.BreakReset)), call: call, only: harness.RouteShim})
			}
			for i := range calls {
				calls[i].call = freshly(t, calls[i].call)
			}
			return calls
		},
		needs(answers("SRS-RES-001.62", "retried-with-the-same-key", check.Every(
			check.SendsBy(keys, repeated), check.SameKey(keys))), "idempotency-key"),
		needs(answers("SRS-RES-001.63", "same-body-on-each-attempt", check.Retrying(check.SameBody(at(bodies...)))), "idempotency-key"),
	)
}

// plainLines are header lines that a caller gives.
func plainLines() [][2]string {
	return [][2]string{{"Accept", "application/vnd.oncecheck+json;q=0.9"}, {"Accept-Language", "de, en;q=0.5"}, {"X-Catalog-View", "a;b=\"c, d\""}}
}

func sameRequest() harness.Scenario {
	methods := []string{"GET", "HEAD", "PUT", "DELETE"}
	labels := []string{"get", "head", "put", "delete"}
	return pacedScenario("client/same-request",
		"a dependency fails for good while calls are made that are safe to repeat by their method; all attempts ask for the same",
		"dependency",
		func(t harness.TargetInfo) []calling {
			var calls []calling
			for i, method := range methods {
				c := calling{label: labels[i], script: answering(status(503)), query: "size=2&size=3&text=a%20b%2Fc%2B&none=", only: harness.RouteShim,
					call: freshly(t, harness.ClientCall{Method: method, Header: plainLines()})}
				switch method {
				case "PUT":
					c.call.Body, c.call.Header = []byte(`{"quantity":1}`), append(plainLines(), [2]string{"Content-Type", "application/json"})
				case "GET":
					c.only = ""
				}
				calls = append(calls, c)
			}
			return calls
		},
		answers("SRS-RES-001.64", "same-request-on-each-attempt", check.Retrying(check.SameRequest(at(labels...), plainLines()...))),
		supplement(answers("SRS-RES-001.63", "same-body-by-method", check.Retrying(check.SameBody(at("put"))))),
		answers("SRS-RES-001.65", "retried-by-method", check.SendsBy(at(labels...), repeated)),
	)
}

// madeKeys tries a client that makes keys itself, often enough that one for a
// whole process or one made of the body would come twice. Of any other client it
// asks one call only.
func madeKeys() harness.Scenario {
	const enough = 100
	return pacedScenario("client/made-keys",
		"a dependency fails once in each of a hundred calls without a key; a client that makes keys makes one for each call, and sends it with every attempt",
		"dependency",
		func(t harness.TargetInfo) []calling {
			script, n := answering(status(503), status(200)), 1
			if t.Client != nil && t.Client.AutoKey {
				n = enough
			}
			var calls []calling
			for i := range n {
				calls = append(calls, calling{label: fmt.Sprintf("made-%03d", i+1), script: script, call: post(""), only: harness.RouteShim})
			}
			return calls
		},
		needs(answers("SRS-RES-001.69", "a-key-for-each-call", check.FreshKeys(check.Labelled("made-"), enough)), "idempotency-key"),
	)
}
