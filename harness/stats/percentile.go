package stats

import "gonum.org/v1/gonum/stat/distuv"

// PercentileRank returns which of n observations in ascending order, counted
// from 1, bounds the p-quantile from above at that confidence, whatever their
// distribution: the smallest r of which fewer than r observations lie below the
// quantile with that probability. It is 0 if n observations are too few.
func PercentileRank(n int, p, confidence float64) int {
	if n <= 0 || p <= 0 || p >= 1 || confidence <= 0 || confidence >= 1 {
		return 0
	}
	below := distuv.Binomial{N: float64(n), P: p}
	least, most := 0, n
	if below.CDF(float64(n-1)) < confidence {
		return 0
	}
	for least+1 < most {
		if middle := (least + most) / 2; below.CDF(float64(middle-1)) >= confidence {
			most = middle
		} else {
			least = middle
		}
	}
	return most
}
