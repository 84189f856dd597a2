package scenarios

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientDeadline are the scenarios about the limits of an attempt and of a call.
func clientDeadline() []harness.Scenario {
	return []harness.Scenario{readLimit(), totalDeadline()}
}

// readLimit tries the limit of one attempt. A probe, a POST without a key, may
// be sent once only, so that its caller feels what one attempt takes; a gateway
// need not take one, and shows it in the first attempt of a GET.
func readLimit() harness.Scenario {
	uncut, success := at("slow-once", "late-connect"), check.Outcome{Response: true, Statuses: []int{200}}
	return pacedScenario("client/read-limit",
		"a dependency is silent, stalls after the headers, or answers byte by byte; each attempt ends at its limit, and answers within it are not cut",
		"dependency",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			slow := min(part(p.Read, 0.8), part(p.Total, 0.4)) // so that two fit into the call
			calls := []calling{
				{label: "slow-once", script: answering(after(part(p.Read, 0.9), status(200))), call: get()},
			}
			if p.Retries > 0 { // there is a second attempt
				calls = append(calls,
					calling{label: "late-silent", script: answering(after(part(p.Read, 0.4), status(503)), breaking(harness.BreakSilent)), call: get()},
					calling{label: "slow-twice", script: answering(after(slow, status(503)), after(slow, status(200))), call: get()})
			}
			// The kernel asks for a connection again after a second, for which the limit
			// of connecting has to leave room.
			if p.Connect.Std() >= 3*firstSYN/2 {
				calls = append(calls, calling{label: "late-connect", only: harness.RouteShim, call: get(),
					script: harness.Script{Door: harness.Door{Kind: harness.DoorFull, For: harness.Duration(firstSYN * 7 / 10)}, Steps: []harness.Step{after(part(p.Read, 0.9), status(200))}}})
			}
			for _, c := range []struct {
				label string
				step  harness.Step
			}{
				{"silent", breaking(harness.BreakSilent)},
				{"stall-200", harness.Step{Status: 200, Break: harness.BreakHeaders}},
				{"stall-503", harness.Step{Status: 503, Break: harness.BreakHeaders}},
				{"trickle", trickling(p)},
			} {
				calls = append(calls,
					calling{label: c.label + "-probe", script: answering(c.step), call: post(""), only: harness.RouteShim},
					calling{label: c.label + "-get", script: answering(c.step), call: get(), only: harness.RouteGateway})
			}
			return calls
		},
		timed(answers("SRS-RES-001.04", "attempt-ends-at-its-limit", check.NoLooser(check.LimitRead, check.AttemptLasts(oneAttempt("silent"), 1, check.Around(check.ReadLimit))))),
		supplement(timed(answers("SRS-RES-001.04", "limit-counts-from-the-attempt", check.Retrying(check.AttemptLasts(at("late-silent"), 2, check.Span{
			From: func(p harness.ClientPolicy) time.Duration { return secondShare(p) - check.Early },
			To:   check.UpTo(check.ReadLimit).To}))))),
		timed(answers("SRS-RES-001.05", "limit-covers-the-body", check.AttemptLasts(oneAttempt("stall-200", "stall-503"), 1, check.UpTo(check.ReadLimit)))),
		timed(answers("SRS-RES-001.06", "limit-is-wall-time", check.AttemptLasts(oneAttempt("trickle"), 1, check.UpTo(check.ReadLimit)))),
		timed(answers("SRS-RES-001.07", "each-attempt-has-its-own-limit", check.Retrying(check.Every(check.Sends(at("slow-twice"), 2, 2), check.Returns(at("slow-twice"), success))))),
		timed(answers("SRS-RES-001.08", "slow-answer-is-not-cut", check.Every(check.Sends(uncut, 1, 1), check.Returns(uncut, success)))),
		needs(timed(answers("SRS-RES-001.96", "declared-read-limit-is-true", check.AttemptLasts(oneAttempt("silent"), 1, check.Around(check.ReadLimit)))), "declared-policy"),
	)
}

// firstSYN is after what time a kernel asks for a connection again.
const firstSYN = time.Second

// oneAttempt picks the calls of which one attempt is looked at.
func oneAttempt(labels ...string) check.Pick {
	var both []string
	for _, l := range labels {
		both = append(both, l+"-probe", l+"-get")
	}
	return at(both...)
}

// secondShare is what a second attempt has after a first one of two fifths of its
// limit and a wait: its own limit, or what is left of the call.
func secondShare(p harness.ClientPolicy) time.Duration {
	return min(p.Read.Std(), part(p.Total, 0.9)-part(p.Read, 0.4))
}

// totalDeadline watches each dependency for half as long again as the call may
// take: what a client does in the background shows then.
func totalDeadline() harness.Scenario {
	silent, third, slow, patient := at("silent"), at("late-third"), at("slow-503s"), at("silent-for-the-patient")
	return pacedScenario("client/total-deadline",
		"a dependency uses up the whole time of a call in seven ways, once of a caller who has more; the call ends at its deadline, and nothing begins after that",
		"dependency",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			wait := fmt.Sprint(int(6 * p.Total.Std().Seconds()))
			calls := []calling{
				{label: "silent", script: answering(breaking(harness.BreakSilent)), call: get()},
				{label: "late-trickle", script: answering(append(times(min(p.Retries, 1), after(part(p.Read, 0.8), status(503))), trickling(p))...), call: get()},
				{label: "throttled", script: answering(status(429, [2]string{"Retry-After", wait})), call: get()},
				{label: "late-third", script: answering(append(times(min(p.Retries, 2), after(thirdDelay(p), status(503))), breaking(harness.BreakSilent))...), call: get()},
				{label: "slow-503s", script: answering(after(part(p.Read, 0.98), status(503))), call: get()},
				{label: "stalled-503s", script: answering(harness.Step{Status: 503, Break: harness.BreakHeaders}), call: get()},
				{label: "exhausted", script: answering(status(503)), call: get()},
			}
			if offers(t, harness.CapCancel) { // a caller can say how long it has
				patient := get()
				patient.Deadline = 2 * p.Total.Std()
				calls = append(calls, calling{label: "silent-for-the-patient", script: answering(breaking(harness.BreakSilent)), call: patient, only: harness.RouteShim})
			}
			for i := range calls {
				calls[i].watch = longWatch(p)
			}
			return calls
		},
		timed(answers("SRS-RES-001.09", "call-ends-at-its-deadline", check.NoLooser(check.LimitTotal, check.Every(
			check.Lasts(silent, check.Span{From: reached(silentFor), To: check.UpTo(check.TotalLimit).To}),
			check.SendsUntilReturn(silent, silentAttempts),
			check.Returns(silent, check.Outcome{Failure: true, Statuses: []int{504}}))))),
		supplement(needs(timed(answers("SRS-RES-001.09", "longer-deadline-lifts-nothing", check.Every(
			check.Lasts(patient, check.UpTo(check.TotalLimit)),
			check.Returns(patient, check.Outcome{Failure: true})))), "cancel")),
		timed(answers("SRS-RES-001.10", "deadline-covers-the-body", check.Every(
			check.Lasts(at("late-trickle"), check.UpTo(check.TotalLimit)),
			check.SendsUntilReturn(at("late-trickle"), moreThanOne)))),
		timed(answers("SRS-RES-001.11", "deadline-covers-waits", check.Every(
			check.Lasts(at("throttled"), check.UpTo(check.TotalLimit)),
			check.SendsUntilReturn(at("throttled"), upToAllAttempts)))),
		timed(answers("SRS-RES-001.12", "last-attempt-is-cut-short", check.Every(
			check.Lasts(third, check.Span{From: reached(thirdFor), To: check.UpTo(check.TotalLimit).To}),
			check.SendsUntilReturn(third, upToThree)))),
		timed(answers("SRS-RES-001.14", "exchange-is-cancelled-at-the-deadline", check.ClosedAfterReturn(at("silent", "late-third")))),
		timed(answers("SRS-RES-001.15", "nothing-begins-after-return", check.QuietAfterReturn(at("silent", "late-trickle", "throttled", "late-third", "stalled-503s", "exhausted"), longWatch))),
		timed(answers("SRS-RES-001.17", "budget-is-told", check.BudgetPropagated(third))),
		timed(answers("SRS-RES-001.26", "no-attempt-beyond-the-deadline", check.Every(
			check.Lasts(slow, check.UpTo(check.TotalLimit)),
			check.SendsUntilReturn(slow, moreThanOne),
			check.NothingLater(slow, check.TotalLimit, longWatch)))),
		supplement(timed(answers("SRS-RES-001.05", "error-body-is-read-within-the-limit", check.Lasts(at("stalled-503s"), check.UpTo(check.TotalLimit))))),
		needs(timed(answers("SRS-RES-001.96", "declared-total-is-true", check.Lasts(silent, check.Span{From: reached(silentFor), To: check.UpTo(check.TotalLimit).To}))), "declared-policy"),
	)
}

// longWatch is how long a dependency is watched from the start of the call.
func longWatch(p harness.ClientPolicy) time.Duration { return part(p.Total, 1.5) }

// reached is the least that a call has to take: its deadline, or what its
// attempts can take at all where they are few or short.
func reached(attempts func(harness.ClientPolicy) time.Duration) func(harness.ClientPolicy) time.Duration {
	return func(p harness.ClientPolicy) time.Duration { return min(p.Total.Std(), attempts(p)) - check.Early }
}

// silentFor is what all attempts take if none is answered.
func silentFor(p harness.ClientPolicy) time.Duration {
	return time.Duration(p.Retries+1) * p.Read.Std()
}

// silentAttempts is how many attempts of full length begin within a call: a wait
// before each but the first may cost the last one.
func silentAttempts(p harness.ClientPolicy) (least, most int) {
	fit := func(each float64) int {
		return min(p.Retries+1, int((p.Total.Std().Seconds()+each-0.001)/each))
	}
	return fit(1.2 * p.Read.Std().Seconds()), fit(p.Read.Std().Seconds())
}

// thirdDelay keeps two answers back for so long that the third attempt begins
// with less time left than its own limit.
func thirdDelay(p harness.ClientPolicy) time.Duration {
	return min(part(p.Total, 0.3), part(p.Read, 0.9))
}

// thirdFor is what two such answers and a silent third attempt take.
func thirdFor(p harness.ClientPolicy) time.Duration {
	return time.Duration(min(p.Retries, 2))*thirdDelay(p) + p.Read.Std()
}

func upToThree(p harness.ClientPolicy) (least, most int) {
	n := min(p.Retries, 2) + 1
	return n, max(n, p.Retries+1)
}

func moreThanOne(p harness.ClientPolicy) (least, most int) {
	return min(2, p.Retries+1), p.Retries + 1
}
