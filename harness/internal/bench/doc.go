// Package bench prints what oncecheck's own machinery costs, as ratios against
// peers measured in the same run on the same machine.
//
// Why ratios and not times: a time means nothing on somebody else's machine and
// cannot be held in a test without luck. A ratio taken in one run, alternating
// the two sides, survives both.
//
//	make bench
package bench
