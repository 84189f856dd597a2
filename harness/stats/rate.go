package stats

import "gonum.org/v1/gonum/stat/distuv"

// Confidence is that of every claim of this project.
const Confidence = 0.95

// UpperBound returns the largest rate of violations that is compatible with k of
// them in n independent observations, at that confidence: the exact one-sided
// Clopper-Pearson bound. Without observations anything is possible.
func UpperBound(k, n int, confidence float64) float64 {
	if n <= 0 || k >= n {
		return 1
	}
	k = max(k, 0)
	return distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(confidence)
}

// Estimate returns the observed rate, 0 without observations.
func Estimate(k, n int) float64 {
	if n <= 0 {
		return 0
	}
	return float64(k) / float64(n)
}

// SmallestN returns how many observations with at most k violations are needed
// to claim, at that confidence, that the rate is not above the given one. It is
// 0 if no number is enough.
func SmallestN(k int, rate, confidence float64) int {
	if k < 0 || rate <= 0 || rate >= 1 || confidence <= 0 || confidence >= 1 {
		return 0
	}
	enough := func(n int) bool { return UpperBound(k, n, confidence) <= rate }
	most := k + 1
	for !enough(most) {
		most *= 2
	}
	least := most / 2 // not enough, or no more than k
	for least+1 < most {
		if middle := (least + most) / 2; enough(middle) {
			most = middle
		} else {
			least = middle
		}
	}
	return most
}

// Allowed returns the largest number of violations in n observations that still
// supports the claim, -1 if not even none of them does.
func Allowed(n int, rate, confidence float64) int {
	k := -1
	for k+1 < n && UpperBound(k+1, n, confidence) <= rate {
		k++
	}
	return k
}
