// Package stats says how much a number of observations proves.
//
// Why exact bounds: a run sees a sample, and a claim such as "99.99 % of calls
// end in time" is about all calls there will ever be. No late call in 10,000
// does not prove it; it only bounds the rate of late calls, at a stated
// confidence. The usual approximations are worst where it matters here, at no or
// few violations, so the bounds come from the binomial distribution itself.
//
// All bounds are one-sided: a rate or a percentile may be better than claimed
// without anybody minding.
package stats
