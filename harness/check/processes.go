package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

const (
	// alikeWithin is how far two waits of one length may lie apart, measured by the
	// longer; alikeLeast is what a request takes by itself.
	alikeWithin = 0.03
	alikeLeast  = 5 * time.Millisecond
	// alikeShare of the waits are those of one sequence, even where a busy machine
	// delays some; of two sequences chanceShare are so by chance, and hardly ever more.
	alikeShare  = 0.7
	chanceShare = 0.5
)

// ProcessesDiffer judges that two processes of one client do not wait for the same
// times in the same order: each picked case is what one of them did from its start.
// Where the client was not started twice nothing is said.
func ProcessesDiffer(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		for e := range h.Events() {
			if e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkNotStartedAgain && pick.accepts(h, e.Case) {
				return harness.Inapplicable("two processes of the client were not compared: " + e.Mark.Detail)
			}
		}
		cases := clientCases(h, pick)
		if len(cases) != 2 {
			return harness.Undecided(fmt.Sprintf("%d processes of the client made calls, and two are compared", len(cases)))
		}
		read := h.Header.Policy.Client.Read.Std()
		first, second := cases[0].eachWaits(read), cases[1].eachWaits(read)
		seqs := append(cases[0].witnesses(), cases[1].witnesses()...)
		n, alike := min(len(first), len(second)), 0
		if n < least {
			return harness.Undecided(fmt.Sprintf("%s of both processes, and %d are needed", several(n, "wait"), least), seqs...)
		}
		for i := range n {
			if longer := max(first[i], second[i]); (first[i] - second[i]).Abs() <= max(alikeLeast, time.Duration(alikeWithin*float64(longer))) {
				alike++
			}
		}
		what := fmt.Sprintf("%d of %d waits are alike, the first of them %s and %s", alike, n, seconds(first[0]), seconds(second[0]))
		switch share := float64(alike) / float64(n); {
		case share >= alikeShare:
			return harness.Failed("two processes of the client that wait for other times", what, seqs...)
		case share > chanceShare:
			return harness.TooBusy("of two processes of the client "+what+": that may be one sequence on a busy machine", seqs...)
		}
		return harness.Passed("of two processes of the client "+what, seqs...)
	}
}

// eachWaits returns the waits of all calls of the case, in order.
func (c clientCase) eachWaits(read time.Duration) []time.Duration {
	var waits []time.Duration
	for _, call := range c.calls {
		waits = append(waits, clientCase{sent: c.during(call)}.gaps(read)...)
	}
	return waits
}
