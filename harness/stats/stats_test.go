package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// exact finds the bound from the binomial sum itself, by bisection.
func exact(k, n int, confidence float64) float64 {
	log := func(n int) float64 { l, _ := math.Lgamma(float64(n + 1)); return l }
	low, high := 0.0, 1.0
	for range 200 {
		p, sum := (low+high)/2, 0.0
		for i := range k + 1 {
			sum += math.Exp(log(n) - log(i) - log(n-i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		}
		if sum > 1-confidence {
			low = p
		} else {
			high = p
		}
	}
	return high
}

// The figures are those that the claims were planned with.
func TestSmallestN(t *testing.T) {
	for _, c := range []struct {
		rate float64
		k, n int
	}{
		{1e-4, 0, 29956}, {1e-4, 1, 47437}, {1e-4, 2, 62956},
		{1e-3, 0, 2995}, {1e-3, 1, 4742}, {1e-3, 2, 6294},
		{0.5, 0, 5},
	} {
		if n := SmallestN(c.k, c.rate, Confidence); n != c.n {
			t.Errorf("%d violations at a rate of %g: %d observations, want %d", c.k, c.rate, n, c.n)
		}
		if k := Allowed(c.n, c.rate, Confidence); k != c.k {
			t.Errorf("%d observations at a rate of %g: %d violations allowed, want %d", c.n, c.rate, k, c.k)
		}
		if k := Allowed(c.n-1, c.rate, Confidence); k != c.k-1 {
			t.Errorf("%d observations at a rate of %g: %d violations allowed, want %d", c.n-1, c.rate, k, c.k-1)
		}
	}
	for _, c := range []struct {
		k          int
		rate, conf float64
	}{{-1, 0.1, 0.95}, {0, 0, 0.95}, {0, 1, 0.95}, {0, 0.1, 0}, {0, 0.1, 1}} {
		if n := SmallestN(c.k, c.rate, c.conf); n != 0 {
			t.Errorf("%+v: %d observations, want 0: there is nothing to claim", c, n)
		}
	}
}

func TestUpperBound(t *testing.T) {
	if b := UpperBound(0, 10_000, Confidence); b >= 0.0003 || b < 0.000299 {
		t.Errorf("none in 10,000: %g, want just below 0.03 %%", b)
	}
	for _, c := range []struct{ k, n int }{{0, 0}, {0, -1}, {3, 3}, {4, 3}} {
		if b := UpperBound(c.k, c.n, Confidence); b != 1 {
			t.Errorf("%d of %d: %g, want 1: nothing is excluded", c.k, c.n, b)
		}
	}
	for _, c := range []struct{ k, n int }{{0, 1}, {0, 60}, {1, 2}, {1, 29956}, {7, 1000}, {50, 100}, {0, 29956}, {2, 62956}, {99, 100}} {
		if got, want := UpperBound(c.k, c.n, Confidence), exact(c.k, c.n, Confidence); math.Abs(got-want) > 1e-9+1e-6*want {
			t.Errorf("%d of %d: %.12g, want %.12g", c.k, c.n, got, want)
		}
	}
}

// More violations never prove more, and more observations never prove less.
func TestUpperBoundIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		b := UpperBound(k, n, Confidence)
		if b < Estimate(k, n) || b > 1 {
			t.Fatalf("%d of %d: bound %g, estimate %g", k, n, b, Estimate(k, n))
		}
		if more := UpperBound(k+1, n, Confidence); more < b {
			t.Fatalf("%d of %d: %g, with one more violation %g", k, n, b, more)
		}
		if more := UpperBound(k, n+1, Confidence); more > b+1e-12 {
			t.Fatalf("%d of %d: %g, with one more observation %g", k, n, b, more)
		}
	})
}

func TestEstimate(t *testing.T) {
	if e := Estimate(1, 4); e != 0.25 {
		t.Errorf("1 of 4: %g", e)
	}
	if e := Estimate(0, 0); e != 0 {
		t.Errorf("0 of 0: %g", e)
	}
}

func TestPercentileRank(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		rank int
	}{
		{1000, 0.95, 962},
		{59, 0.95, 59}, // the largest of 59 is the first that bounds it
		{58, 0.95, 0},
		{5, 0.5, 5},
		{4, 0.5, 0},
		{0, 0.95, 0},
		{10, 0, 0},
		{10, 1, 0},
	} {
		if rank := PercentileRank(c.n, c.p, Confidence); rank != c.rank {
			t.Errorf("the %g-quantile of %d: rank %d, want %d", c.p, c.n, rank, c.rank)
		}
	}
}
