package check

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/stats"
)

// The names of the requests of a series about replays.
const (
	OpFirst    = "first"  // makes what is replayed
	OpReplay   = "replay" // what is measured
	OpBaseline = "noop"   // on the same path, and nothing is looked up for it
)

// ReplayQuantile is the quantile that the requirement bounds.
const ReplayQuantile = 0.95

// ReplaysInTime bounds the 95th percentile of how long replays take, from when
// each was due, by the order statistic that holds whatever their distribution.
// If that is above the limit, the difference to the request beside it decides,
// which needs no lookup: the requirement is about what lookup and replay add. Only a replay
// that equals its original counts.
func ReplaysInTime(h *harness.History) harness.Measured {
	r := replays{first: map[string]*harness.Answer{}, took: map[string]time.Duration{}, base: map[string]time.Duration{}}
	for e := range h.Events() {
		r.saw(h.Header.Dialect, e)
	}
	return r.conclude(h)
}

type replays struct {
	first      map[string]*harness.Answer // by case
	took, base map[string]time.Duration   // by number
	witness    []int64
	unlike     int // replays that are none
	unanswered int
}

func (r *replays) saw(d harness.Dialect, e harness.Event) {
	if e.Type != harness.OK && e.Type != harness.Info && e.Type != harness.Failure {
		return
	}
	name, number, _ := strings.Cut(e.Op, "-")
	switch {
	case name == OpFirst && e.Type == harness.OK && d.Classify(*e.Answer) == harness.ClassSuccess:
		r.first[e.Case] = e.Answer
	case name != OpReplay && name != OpBaseline:
	case e.Type != harness.OK || e.Request.Due == 0:
		r.unanswered++
	case name == OpBaseline:
		r.base[number] = e.At - e.Request.Due
	case r.first[e.Case] == nil || r.first[e.Case].Status != e.Answer.Status || r.first[e.Case].BodySHA256 != e.Answer.BodySHA256:
		r.unlike++
		r.witness = append(r.witness, e.Seq)
	default:
		r.took[number] = e.At - e.Request.Due
	}
}

func (r *replays) conclude(h *harness.History) harness.Measured {
	p := h.Header.NFR
	m := harness.Measured{N: len(r.took), UpperBound: math.MaxFloat64} // nothing bounds it yet
	switch {
	case p == nil || p.N < 1 || p.Unit != "ms" || p.Threshold <= 0:
		m.Verdict = harness.Undecided("nothing was planned of this series")
		return m
	case r.unlike > 0:
		m.Verdict = harness.Undecided(fmt.Sprintf("%d replays were not answered like their original, so how long they took says nothing", r.unlike), r.witness[:min(len(r.witness), maxExamples)]...)
		return m
	case m.N < p.N:
		m.Verdict = harness.Undecided(fmt.Sprintf("%d replays count, %d were planned, %d requests got no answer", m.N, p.N, r.unanswered))
		return m
	}
	limit := time.Duration(p.Threshold * float64(time.Millisecond))
	var own, added, base []time.Duration
	for number, took := range r.took {
		own = append(own, took)
		if beside, ok := r.base[number]; ok {
			added, base = append(added, took-beside), append(base, beside)
		}
		if took > limit {
			m.Violations++
		}
	}
	bound, estimate := percentile(own, p.Confidence)
	m.UpperBound, m.Estimate = inMs(bound), inMs(estimate)
	_, idle := percentile(base, p.Confidence)
	shown := fmt.Sprintf("95th percentile of %d replays %.3g ms, with %.4g %% confidence at most %.3g ms; of requests that look nothing up %.3g ms",
		len(own), inMs(estimate), 100*p.Confidence, inMs(bound), inMs(idle))
	if bound <= limit {
		m.Verdict = harness.Passed(shown)
		return m
	}
	if len(added) < p.N {
		m.Verdict = harness.Undecided(shown + fmt.Sprintf("; only %d have a request beside them that could be compared", len(added)))
		return m
	}
	bound, estimate = percentile(added, p.Confidence)
	m.UpperBound, m.Estimate = inMs(bound), inMs(estimate)
	shown += fmt.Sprintf("; lookup and replay add %.3g ms, at most %.3g ms", inMs(estimate), inMs(bound))
	if bound <= limit {
		m.Verdict = harness.Passed(shown)
		return m
	}
	m.Gross = m.Violations
	m.Verdict = harness.Failed(fmt.Sprintf("a 95th percentile of at most %g ms", p.Threshold), shown)
	return m
}

// percentile returns the upper bound of [ReplayQuantile] at that confidence, and
// the quantile of the sample. Too few bound nothing.
func percentile(took []time.Duration, confidence float64) (bound, estimate time.Duration) {
	slices.Sort(took)
	rank := stats.PercentileRank(len(took), ReplayQuantile, confidence)
	if rank == 0 {
		return time.Duration(1<<63 - 1), 0
	}
	return took[rank-1], took[int(float64(len(took)-1)*ReplayQuantile)]
}

func inMs(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
