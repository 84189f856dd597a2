package scenarios

import (
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/stats"
)

// nfrs returns the quantitative requirements, stratum by stratum. A stratum
// stands for itself: a rate over a mixture would hide the one fault that a client
// does not survive behind those that it does.
func nfrs() []harness.NFR {
	return slices.Concat([]harness.NFR{nfrAvailable(), nfrReplay(), nfrDuplicates()}, nfrTimes(), []harness.NFR{nfrFallback()})
}

// wholeSeries is the rule by which every series ends.
const wholeSeries = "all calls are made, whatever they bring; none is added, repeated or left out; a series that breaks off claims nothing"

// planned fixes what a claim of at most that rate of violations needs, if none
// occurs.
func planned(claim string, rate float64, concurrency int, mix ...string) harness.Preregistered {
	n := stats.SmallestN(0, rate, stats.Confidence)
	return harness.Preregistered{Claim: claim, Threshold: rate, Confidence: stats.Confidence, N: n,
		Allowed: stats.Allowed(n, rate, stats.Confidence), Concurrency: concurrency, Mix: mix, Stop: wholeSeries}
}
