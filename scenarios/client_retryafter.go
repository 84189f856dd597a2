package scenarios

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientRetryAfter are the scenarios about how long a dependency asks to be left
// alone.
func clientRetryAfter() []harness.Scenario {
	return []harness.Scenario{retryAfter(), retryAfterFloor(), retryAfterOdd()}
}

// throttling is a 429 that asks for a wait, in one header line for each value.
func throttling(values ...string) harness.Step {
	var lines [][2]string
	for _, v := range values {
		lines = append(lines, [2]string{"Retry-After", v})
	}
	return status(429, lines...)
}

// Dates have no fractions of a second, and a call takes a moment to get going: one
// made of dateAhead asks for a wait of dateLeast to dateMost.
const (
	dateAhead = 4250 * time.Millisecond
	dateLeast = 3 * time.Second
	dateMost  = dateAhead
)

func retryAfter() harness.Scenario {
	const two, seven = 2 * time.Second, 7 * time.Second
	givesUp := func(with check.Outcome, labels ...string) judge {
		return check.Every(
			check.Sends(at(labels...), 1, 1),
			check.Lasts(at(labels...), check.UpTo(check.TotalLimit)),
			check.Returns(at(labels...), with))
	}
	honoured := func(waits judge, most time.Duration, labels ...string) judge {
		return check.Every(waits, fitting(most, twice(at(labels...))))
	}
	seconds := func(labels ...string) judge {
		return honoured(check.WaitsAsAsked(at(labels...), two, two), two, labels...)
	}
	dated := func(labels ...string) judge {
		return honoured(check.WaitsForDate(at(labels...), dateLeast, dateMost), dateMost, labels...)
	}
	twoWaits := check.Labelled("each-answer")
	yes := true
	again := typed503()
	again.Retryable = &yes
	return pacedScenario("client/retry-after",
		"a dependency asks for a wait in seconds or by a date; the client keeps to it where the call has the time, and gives up where it has not",
		"dependency",
		func(t harness.TargetInfo) []calling {
			date := time.Now().Add(dateAhead).UTC()
			calls := []calling{{label: "on-503", script: answering(status(503, [2]string{"Retry-After", "2"}), status(200))}}
			for _, c := range []labelled{
				{"seconds", throttling("2")}, {"seven", throttling("7")},
				{"imf-fixdate", throttling(date.Format(http.TimeFormat))}, {"rfc-850", throttling(date.Format("Monday, 02-Jan-06 15:04:05 GMT"))}, {"asctime", throttling(date.Format(time.ANSIC))},
			} {
				calls = append(calls, calling{label: c.label, script: answering(c.step, status(200))})
			}
			for _, c := range []labelled{
				{"ten-digits", throttling("9999999999")}, {"two-to-63", throttling("9223372036854775808")}, {"wider-than-64-bits", throttling("18446744073709551617")},
				{"too-long", throttling(wholeSeconds(max(30*time.Second, 3*t.Policy.Client.Total.Std())))},
			} {
				calls = append(calls, calling{label: c.label, script: answering(c.step)})
			}
			// What would have fitted into a call that begins is too long for one that is
			// under way.
			calls = append(calls, calling{label: "too-late", script: answering(after(part(t.Policy.Client.Read, 0.8), throttling(wholeSeconds(part(t.Policy.Client.Total, 0.7)))))})
			if p := t.Policy.Client; p.Total.Std() >= eachFor(p) { // or its last answer would never be met
				asking := []harness.Step{throttling("1"), throttling("2")}[:min(p.Retries, 2)]
				calls = append(calls, calling{label: "each-answer", script: answering(append(asking, status(200))...)})
			}
			for i := range calls {
				calls[i].call = freshly(t, get())
			}
			return calls
		},
		timed(answers("SRS-RES-001.50", "seconds-are-honoured", seconds("seconds"))),
		supplement(timed(answers("SRS-RES-001.50", "each-answer-is-honoured", check.Fits(eachFor, check.Retrying(check.Every(
			check.WaitsEachAsAsked(twoWaits, time.Second, two),
			check.Returns(twoWaits, succeeded()))))))),
		timed(answers("SRS-RES-001.51", "honoured-on-503", seconds("on-503"))),
		timed(answers("SRS-RES-001.52", "date-is-honoured", dated("imf-fixdate"))),
		timed(answers("SRS-RES-001.53", "older-dates-are-honoured", dated("rfc-850", "asctime"))),
		timed(answers("SRS-RES-001.56", "huge-wait-is-no-wait", givesUp(typed503(), "ten-digits", "two-to-63", "wider-than-64-bits"))),
		timed(answers("SRS-RES-001.57", "never-earlier-than-asked", givesUp(again, "too-long"))),
		supplement(timed(answers("SRS-RES-001.57", "never-earlier-late-in-a-call", givesUp(typed503(), "too-late")))),
		timed(answers("SRS-RES-001.59", "long-wait-that-fits", check.Every(
			check.LastsAsAsked(at("seven"), seven),
			fitting(seven, twice(at("seven")))))),
	)
}

// eachFor is the time that waits of one and of two seconds need, with what a client
// adds to them.
func eachFor(harness.ClientPolicy) time.Duration { return 7 * time.Second }

// fitting judges only where the call has time for a wait.
func fitting(wait time.Duration, j judge) judge {
	return check.Fits(func(harness.ClientPolicy) time.Duration { return wait + time.Second }, j)
}

// wholeSeconds writes a time as the header does, rounded up.
func wholeSeconds(d time.Duration) string { return fmt.Sprint(int64(math.Ceil(d.Seconds()))) }

// retryAfterFloor repeats one wait often enough that a jitter which goes both ways
// would show.
func retryAfterFloor() harness.Scenario {
	const enough, second = 20, time.Second
	all := check.Labelled("one-second-")
	return pacedScenario("client/retry-after-floor",
		"a dependency asks twenty calls to come back after a second; none of them comes earlier",
		"dependency",
		func(t harness.TargetInfo) []calling {
			var calls []calling
			for i := range enough {
				calls = append(calls, calling{label: fmt.Sprintf("one-second-%02d", i+1), script: answering(throttling("1"), status(200)), call: freshly(t, get())})
			}
			return calls
		},
		timed(answers("SRS-RES-001.58", "jitter-never-shortens", check.Every(
			check.WaitsAsAsked(all, second, second),
			fitting(second, twice(all))))),
	)
}

// retryAfterOdd asks for two waits at once that are far from any that a client
// would make by itself, and from each other.
func retryAfterOdd() harness.Scenario {
	const smaller, larger = 2 * time.Second, 4 * time.Second
	odd := check.Labelled("negative-", "fraction-", "word-", "empty-", "smaller-first-", "larger-first-")
	none, past := check.Labelled("none-"), check.Labelled("zero-", "past-")
	each := func(prefixes ...string) judge { // what a client makes of one value says nothing of another
		var all []judge
		for _, p := range prefixes {
			all = append(all, check.WaitsNoLess(check.Labelled(p)))
		}
		return check.Every(all...)
	}
	return harness.Scenario{
		ID:    "client/retry-after-odd",
		Title: "a dependency asks for no wait, for one in the past, or for what is no time at all; the client waits as it always does, and never less",
		Needs: harness.Needs{string(harness.CapDependency)},
		Timed: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			t := s.Target()
			var calls []calling
			for i := range max(2, check.NeedsSample(t.Client)) {
				for _, c := range []labelled{
					{"none", throttling()}, {"zero", throttling("0")}, {"past", throttling(time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))},
					{"negative", throttling("-5")}, {"fraction", throttling("1.5")}, {"word", throttling("abc")}, {"empty", throttling("")},
					{"smaller-first", throttling(wholeSeconds(smaller), wholeSeconds(larger))}, {"larger-first", throttling(wholeSeconds(larger), wholeSeconds(smaller))},
				} {
					calls = append(calls, calling{label: fmt.Sprintf("%s-%d", c.label, i+1), script: answering(c.step, status(200)), call: freshly(t, get())})
				}
			}
			return driveCallings(ctx, s, calls, waitsAtOnce)
		},
		Checks: []harness.Check{
			timed(answers("SRS-RES-001.54", "no-wait-is-no-hot-loop", check.Every(each("zero-", "past-"), twice(past)))),
			timed(answers("SRS-RES-001.55", "odd-waits-are-no-less-than-usual", check.Every(
				each("negative-", "fraction-", "word-", "empty-", "smaller-first-", "larger-first-"),
				fitting(larger, check.NeverTheSmaller(check.Labelled("smaller-first-", "larger-first-"), none, smaller, larger)),
				twice(odd)))),
		},
	}
}
