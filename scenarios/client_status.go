package scenarios

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientStatus are the scenarios about which answers the client asks again for,
// and which ones are the answer.
func clientStatus() []harness.Scenario {
	return []harness.Scenario{statusRetried(), statusFinal(), statusSuccess()}
}

// statusLabels names the cases of answers.
func statusLabels(statuses []int) []string {
	labels := make([]string, len(statuses))
	for i, code := range statuses {
		labels[i] = fmt.Sprintf("status-%d", code)
	}
	return labels
}

func statusRetried() harness.Scenario {
	transient, other := []int{429, 500, 502, 503, 504}, []int{501, 505, 507, 511, 599}
	return pacedScenario("client/retried-statuses",
		"a dependency answers 429 or a 5xx once and then succeeds, or answers an unusual 5xx for good; what may pass by itself is tried again",
		"dependency",
		func(t harness.TargetInfo) []calling {
			var calls []calling
			for i, code := range transient {
				calls = append(calls, calling{label: statusLabels(transient)[i], script: answering(status(code), status(200)), call: freshly(t, get())})
			}
			for i, code := range other {
				calls = append(calls, calling{label: statusLabels(other)[i], script: answering(status(code)), call: freshly(t, get())})
			}
			return calls
		},
		answers("SRS-RES-001.35", "429-is-retried", twice(at("status-429"))),
		answers("SRS-RES-001.36", "5xx-is-retried", twice(at(statusLabels(transient[1:])...))),
		answers("SRS-RES-001.37", "unusual-5xx-is-bounded", check.OneOrAll(at(statusLabels(other)...))),
	)
}

// passed are header lines that belong to an answer from end to end.
func passed() [][2]string {
	return [][2]string{
		{"Content-Type", "application/problem+json"},
		{"Content-Language", "de"},
		{"ETag", `W/"7"`},
		{"Allow", "GET, HEAD"},
		{"WWW-Authenticate", `Bearer realm="catalog"`},
		{"X-Catalog-Version", "42"},
	}
}

// final picks the calls that met a status which is an answer, whatever else it says
// and whatever it answers.
func final(statuses []int) check.Pick {
	var labels []string
	for _, code := range statuses {
		labels = append(labels, fmt.Sprintf("status-%d", code), fmt.Sprintf("later-%d", code), fmt.Sprintf("keyed-%d", code))
	}
	return at(labels...)
}

func statusFinal() harness.Scenario {
	permanent, request := []int{400, 401, 403, 404, 405, 409, 410, 412, 415, 422}, []int{408, 425}
	return pacedScenario("client/final-statuses",
		"a dependency refuses with a 4xx that is not 429, and may say when to ask again; the client asks once, and its caller gets the refusal as it was",
		"dependency",
		func(t harness.TargetInfo) []calling {
			var calls []calling
			for _, code := range slices.Concat(permanent, request) {
				refusal := harness.Step{Status: code, Header: passed(), Body: fmt.Sprintf(`{"type":"about:blank","status":%d,"detail":"only the dependency says this"}`, code)}
				later := refusal
				later.Header = append(passed(), [2]string{"Retry-After", "1"})
				calls = append(calls,
					calling{label: fmt.Sprintf("status-%d", code), script: answering(refusal), call: freshly(t, get())},
					calling{label: fmt.Sprintf("later-%d", code), script: answering(later), call: freshly(t, get()), only: harness.RouteShim},
					calling{label: fmt.Sprintf("keyed-%d", code), script: answering(refusal), call: freshly(t, post(ownKey)), only: harness.RouteShim})
			}
			return calls
		},
		answers("SRS-RES-001.38", "408-and-425-are-not-retried", check.Sends(final(request), 1, 1)),
		answers("SRS-RES-001.39", "4xx-is-not-retried", check.Sends(final(permanent), 1, 1)),
		answers("SRS-RES-001.46", "4xx-is-passed-through", check.PassedThrough(at(statusLabels(permanent)...), passed()...)),
	)
}

func statusSuccess() harness.Scenario {
	success := at("created", "accepted", "accepted-get")
	return pacedScenario("client/success-with-retry-after",
		"a dependency accepts a request and says when to look again; that is no reason to send it again",
		"dependency",
		func(t harness.TargetInfo) []calling {
			later := [2]string{"Retry-After", "1"}
			return []calling{
				{label: "created", script: answering(status(201, later)), call: freshly(t, post(ownKey)), watch: successWatch},
				{label: "accepted", script: answering(status(202, later)), call: freshly(t, post(ownKey)), watch: successWatch},
				{label: "accepted-get", script: answering(status(202, later)), call: freshly(t, get()), watch: successWatch},
			}
		},
		answers("SRS-RES-001.41", "success-is-not-retried", check.Every(
			check.Sends(success, 1, 1),
			check.Returns(success, check.Outcome{Response: true, Statuses: []int{201, 202}}))),
	)
}
