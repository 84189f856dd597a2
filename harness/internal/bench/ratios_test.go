package bench

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
)

// pair is one comparison: ours against a peer, over the same work.
type pair struct {
	what, peer string
	ours, them func(*testing.B)
}

var measure = flag.Bool("measure", false, "measure and print the ratios")

// rounds alternates the two sides, so that a drifting machine hits both.
const rounds = 5

// TestRatios measures only if it is asked to: it takes half a minute, and a
// machine that is busy with other tests has nothing to say.
func TestRatios(t *testing.T) {
	if !*measure {
		t.Skip("a measurement, not a check: make bench")
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\tours ns/op\tpeer\tpeer ns/op\tratio (median of 5)\tallocs/op\tpeer")
	for _, p := range []pair{forwarding(), sending(), recording()} {
		var ratios []float64
		var ours, them testing.BenchmarkResult
		for range rounds {
			ours, them = testing.Benchmark(p.ours), testing.Benchmark(p.them)
			ratios = append(ratios, float64(ours.NsPerOp())/float64(max(them.NsPerOp(), 1)))
		}
		slices.Sort(ratios)
		fmt.Fprintf(out, "%s\t%d\t%s\t%d\t%.2fx\t%d\t%d\n", p.what, ours.NsPerOp(), p.peer, them.NsPerOp(),
			ratios[rounds/2], ours.AllocsPerOp(), them.AllocsPerOp())
	}
	calling(t, out)
	storing(t, out)
	small, large := judging(1_000), judging(10_000)
	fmt.Fprintf(out, "judge, per event at 10,000 cases\t%.0f\tper event at 1,000 cases\t%.0f\t%.2fx\t\t\n", large, small, large/small)
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}
