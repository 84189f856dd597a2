package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// FallbacksCounted judges what the target counted between the first and the last
// reading of its metrics: each stored result that was served, and, where eligible
// says so, each failed call for which one was due, those that got none included.
// Nobody else may use the target meanwhile.
func FallbacksCounted(pick Pick, eligible bool, misses int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		first, last := readings(h)
		if first == nil || last == nil || first == last {
			return harness.Undecided("the metrics were not read before and after")
		}
		var due, served int64
		witness := []int64{first.Seq, last.Seq}
		for _, c := range clientCases(h, pick) {
			if why := c.unended(); why != "" {
				return harness.Undecided(why, c.witnesses()...)
			}
			s, v := asStored(c, false)
			if v.Outcome != harness.Pass {
				return v
			}
			if s.proof.Invoke.Seq < first.Seq || s.proof.Done.Seq > last.Seq {
				return c.undecided("its call lies outside of the two readings")
			}
			due++
			if fromStore(s.proof) {
				served++
			}
			witness = append(witness, s.proof.witness())
		}
		switch {
		case due == 0:
			return harness.Undecided("no call was to be answered with a stored result")
		case served == 0:
			return harness.Undecided("no call was answered with a stored result, so there was nothing to count", witness...)
		case due-served < int64(misses):
			return harness.Undecided(fmt.Sprintf("of %d calls %d were answered with a stored result: with the store cut off %d should have missed", due, served, misses), witness...)
		}
		if v := grew(*first.Mark, *last.Mark, harness.MetricServed, served, witness); v.Outcome != harness.Pass || !eligible {
			return v
		}
		if v := grew(*first.Mark, *last.Mark, harness.MetricEligible, due, witness); v.Outcome != harness.Pass {
			return v
		}
		return harness.Passed(fmt.Sprintf("%d eligible calls and %d served ones were counted", due, served), witness...)
	}
}

// readings returns the first and the last reading of the metrics.
func readings(h *harness.History) (first, last *harness.Event) {
	for e := range h.Events() {
		if e.Type != harness.MarkEvent || e.Mark.Name != harness.MarkMetrics {
			continue
		}
		if first == nil {
			first = &e
		}
		last = &e
	}
	return first, last
}

// grew judges that a counter grew by exactly so much. A counter that nobody has
// counted in yet may not be there.
func grew(before, after harness.Mark, name string, by int64, witness []int64) harness.Verdict {
	now, there := after.Count[name]
	if !there {
		return harness.Undecided(fmt.Sprintf("the metrics hold no %s; name the target's own in observe.names", name), witness...)
	}
	if got := now - before.Count[name]; got != by {
		return harness.Failed(fmt.Sprintf("%s to grow by %d", name, by), fmt.Sprintf("it grew by %d, from %d to %d", got, before.Count[name], now), witness...)
	}
	return harness.Passed(fmt.Sprintf("%s grew by %d", name, by), witness...)
}

// FlagShown judges that a gauge follows the flag: the reading of each labelled
// case has to show the state that the case is about.
func FlagShown(on, off string) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		read := marks(h, harness.MarkMetrics)
		var verdicts []harness.Verdict
		for _, want := range []struct {
			label string
			value int64
		}{{on, 1}, {off, 0}} {
			e, ok := read[h.Header.Scenario+"/"+want.label]
			if !ok {
				return harness.Undecided("the metrics were not read in case " + want.label)
			}
			got, name, there := gaugeIn(*e.Mark)
			switch {
			case !there:
				verdicts = append(verdicts, harness.Undecided("the metrics hold no "+harness.MetricFeature+"; name the target's own in observe.names", e.Seq))
			case got != want.value:
				verdicts = append(verdicts, harness.Failed(fmt.Sprintf("%s to show %d in case %s", name, want.value, want.label), fmt.Sprint(got), e.Seq))
			default:
				verdicts = append(verdicts, harness.Passed(fmt.Sprintf("%s shows %d in case %s", name, got, want.label), e.Seq))
			}
		}
		return harness.Merge(verdicts...)
	}
}

// gaugeIn returns the gauge of the flag for retries and fallback, or the one that
// all flags share.
func gaugeIn(m harness.Mark) (value int64, name string, there bool) {
	for _, name := range []string{harness.FeatureMetric(harness.FlagResilience), harness.MetricFeature} {
		if value, there := m.Count[name]; there {
			return value, name, true
		}
	}
	return 0, "", false
}
