package check

import (
	"fmt"
	"math"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// leastBits is how much of an id has to be beyond guessing.
const leastBits = 96

// RequestIDs judges that the ids of n checkouts cannot be guessed: they are
// distinct, one is as often below its predecessor as above it, and what changes in
// them is worth 96 bits. Each case makes its checkouts one after the other, so
// that ids which are counted up, or begin with the time, rise.
func RequestIDs(pick Pick, n int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		seen := map[string]attempt{}
		last := map[string]string{}
		rising, pairs := 0, 0
		var ids []string
		for _, a := range keyed(attempts(h, pick)) {
			if !a.answered() || a.Done.Answer.RequestID == "" {
				continue
			}
			id := a.Done.Answer.RequestID
			if twin, twice := seen[id]; twice {
				if twin.scope(h) == a.scope(h) {
					continue // one checkout that was asked for again, to learn what became of it
				}
				return harness.Failed("an id of its own for each checkout", "the id "+id+" twice", twin.witness(), a.witness())
			}
			seen[id] = a
			if before := last[a.Invoke.Case]; before != "" {
				pairs++
				if above(id, before) {
					rising++
				}
			}
			last[a.Invoke.Case] = id
			ids = append(ids, id)
		}
		if len(ids) < n {
			return harness.Undecided(fmt.Sprintf("%d request ids were seen, wanted %d", len(ids), n))
		}
		if pairs < n/2 {
			return harness.Undecided(fmt.Sprintf("%d ids followed another one of their case, wanted %d", pairs, n/2))
		}
		first := seen[ids[0]].witness()
		// Of a fair coin so many throws are further from half less than once in 10^9.
		if share, off := float64(rising)/float64(pairs), 3/math.Sqrt(float64(pairs)); math.Abs(share-0.5) > off {
			return harness.Failed("ids without an order", fmt.Sprintf("%.0f %% of them above the one before, for example %s, %s", 100*share, ids[0], ids[1]), first, seen[ids[1]].witness())
		}
		if bits := bitsOf(ids); bits < leastBits {
			return harness.Failed(fmt.Sprintf("ids of which %d bits cannot be known", leastBits), fmt.Sprintf("%.0f bits that change, for example %s", bits, ids[0]), first)
		}
		return harness.Passed(fmt.Sprintf("%d ids are distinct, without order, and differ in %.0f bits", len(ids), bitsOf(ids)))
	}
}

// above compares ids as numbers of one length, or as texts of another.
func above(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

// bitsOf returns how many bits the characters are worth that were seen to change:
// at each place the logarithm of how many there were, which is what the place is
// worth once it was decoded. Ids of another length are counted by their end.
func bitsOf(ids []string) float64 {
	at := map[int]map[byte]bool{}
	for _, id := range ids {
		for i := range len(id) {
			if at[i] == nil {
				at[i] = map[byte]bool{}
			}
			at[i][id[len(id)-1-i]] = true
		}
	}
	bits := 0.0
	for _, seen := range at {
		bits += math.Log2(float64(len(seen)))
	}
	return bits
}

// NothingCached judges that no answer of the pick may be kept by a cache.
func NothingCached(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		posts, reads := 0, 0
		for _, a := range attempts(h, pick) {
			if !a.answered() {
				continue
			}
			line := strings.Join(valuesOf(a.Done.Answer.Header, "Cache-Control"), ", ")
			if !hasDirective(line, "no-store") {
				return harness.Failed("Cache-Control: no-store", fmt.Sprintf("%q with %s", line, statusText(a)), a.witness())
			}
			if a.request().Operation == harness.OpStatus {
				reads++
			} else {
				posts++
			}
		}
		if posts == 0 || reads == 0 {
			return harness.Undecided(fmt.Sprintf("%d requests and %d reads were answered, wanted some of both", posts, reads))
		}
		return harness.Passed(fmt.Sprintf("no-store on %d answers to requests and %d to reads", posts, reads))
	}
}

func hasDirective(line, wanted string) bool {
	for part := range strings.SplitSeq(line, ",") {
		if strings.EqualFold(strings.TrimSpace(part), wanted) {
			return true
		}
	}
	return false
}
