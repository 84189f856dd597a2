package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
	"github.com/oncecheck/oncecheck/harness/stats"
)

const (
	// replayLimit is the required bound of the 95th percentile, in milliseconds.
	replayLimit = 100
	// replayed is how many checkouts the store holds when replays are measured: one
	// that is searched from end to end shows.
	replayed = 500
	// replayRequests are due one after the other, every second one a replay.
	replayRequests = 2 * 1500
	replayEvery    = 20 * time.Millisecond
	replayMost     = 64
)

// nfrReplay measures how long replays take, with requests in between that the
// target refuses before it looks into its store.
func nfrReplay() harness.NFR {
	n := replayRequests / 2
	return harness.NFR{
		ID: "NFR-CHK-002", Clause: "NFR-CHK-002", Property: "replay-in-time",
		Title: "finished checkouts are replayed at a fixed rate, in turn with requests on the same path that need no store",
		Needs: harness.Needs{"checkout"},
		Preregistered: harness.Preregistered{
			Claim: fmt.Sprintf("the 95th percentile of lookup and replay is at most %d ms", replayLimit), Threshold: replayLimit, Unit: "ms",
			Confidence: stats.Confidence, N: n, Allowed: n - stats.PercentileRank(n, check.ReplayQuantile, stats.Confidence), Concurrency: replayMost,
			Mix: []string{
				fmt.Sprintf("%s: replays, each of one of %d finished checkouts, due every %s", check.OpReplay, replayed, 2*replayEvery),
				fmt.Sprintf("%s: in between, requests without credentials on the same path", check.OpBaseline),
			},
			Stop: wholeSeries,
		},
		Limit: 5 * time.Minute,
		Drive: driveReplays,
		Judge: check.ReplaysInTime,
	}
}

func driveReplays(ctx context.Context, s *harness.Series) error {
	me := s.DefaultPrincipal()
	cases := make([]*harness.Case, replayed)
	for i := range cases {
		cases[i] = s.Case(fmt.Sprintf("finished-%03d", i+1))
	}
	work := make(chan *harness.Case, len(cases))
	for _, c := range cases {
		work <- c
	}
	close(work)
	_ = harness.Parallel(8, func(int) error { // what became of them is in the history
		for c := range work {
			s.Send(ctx, c, harness.Attempt{Principal: me, Named: check.OpFirst + "-" + c.Label})
		}
		return nil
	})
	nobody := s.Case("baseline")
	return s.Paced(ctx, harness.Pace{Requests: replayRequests, Every: replayEvery, Most: replayMost}, func(n int) (*harness.Case, harness.Attempt) {
		pair := (n + 1) / 2
		if n%2 == 0 {
			return nobody, harness.Attempt{Principal: harness.NoPrincipal, Named: fmt.Sprintf("%s-%d", check.OpBaseline, pair)}
		}
		return cases[s.Rand().IntN(len(cases))], harness.Attempt{Principal: me, Named: fmt.Sprintf("%s-%d", check.OpReplay, pair)}
	})
}
