package reports

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// attempt is one request of a caller: its invoke, how it ended if it did, and
// what the client link saw of it, if the harness owns that link.
type attempt struct {
	invoke harness.Event
	done   *harness.Event
	wire   *harness.Call
	wireAt int64 // Seq of the wire's record
	seat   int   // the lifeline it starts from
}

// call is one exchange on a link with the place of its record.
type call struct {
	seq int64
	harness.Call
}

// exchanges is a story sorted by what happened.
type exchanges struct {
	attempts []attempt
	calls    []call // without those of the client link that belong to an attempt
	effects  []harness.Event
	faults   []harness.Event
	marks    []harness.Event
}

// sortOut pairs the events of a story.
func sortOut(events []harness.Event) exchanges {
	var x exchanges
	byOp := map[string]int{}
	for _, e := range events {
		switch {
		case e.Type == harness.Invoke && e.Request != nil:
			byOp[e.Op] = len(x.attempts)
			x.attempts = append(x.attempts, attempt{invoke: e})
		case e.Type == harness.OK || e.Type == harness.Info || e.Type == harness.Failure:
			if i, ok := byOp[e.Op]; ok {
				x.attempts[i].done = &e
			}
		case e.Call != nil:
			x.calls = append(x.calls, call{e.Seq, arrived(*e.Call)})
		case e.Effect != nil:
			x.effects = append(x.effects, e)
		case e.Fault != nil:
			x.faults = append(x.faults, e)
		case e.Mark != nil:
			x.marks = append(x.marks, e)
		}
	}
	slices.SortStableFunc(x.calls, func(a, b call) int { return cmp.Compare(a.Started, b.Started) })
	x.pairWithWire()
	return x
}

// arrived returns an exchange of a scripted peer as one that its upstream met:
// the peer is the dependency itself, and nothing is cut before it.
func arrived(c harness.Call) harness.Call {
	if c.Step > 0 && c.Forwarded == 0 {
		c.Forwarded, c.Upstream = c.Started, c.Status
		if c.Outcome == harness.CallAnswered {
			c.Answered = c.Ended
		}
	}
	return c
}

// pairWithWire gives each attempt the exchange that the client link saw of it.
// Both tell times from one base, so an exchange lies within its attempt; of
// several candidates the one whose ending agrees is taken.
func (x *exchanges) pairWithWire() {
	var rest []call
	for _, c := range x.calls {
		best, bestScore := -1, -1
		if c.Link == harness.LinkClient && c.Outcome != harness.CallDiscarded {
			for i := range x.attempts {
				if score := agreement(x.attempts[i], c.Call); score > bestScore {
					best, bestScore = i, score
				}
			}
		}
		if best < 0 {
			rest = append(rest, c)
			continue
		}
		x.attempts[best].wire, x.attempts[best].wireAt = &c.Call, c.seq
	}
	x.calls = rest
}

// agreement tells how well an exchange of the client link fits an attempt; -1
// if it cannot be its.
func agreement(a attempt, c harness.Call) int {
	if a.wire != nil || c.Started < a.invoke.At || (a.done != nil && c.Started > a.done.At) {
		return -1
	}
	score := 0
	if c.Operation == "" || c.Operation == a.invoke.Request.Operation {
		score++
	}
	if a.done == nil {
		return score
	}
	if a.done.Answer != nil && c.Outcome == harness.CallAnswered && a.done.Answer.Status == c.Status {
		score += 2
	}
	if a.done.Type == harness.Info && c.Outcome != harness.CallAnswered {
		score += 2
	}
	if r := a.done.Request; r != nil && r.BodySHA256 != "" && r.BodySHA256 == c.BodySHA256 {
		score++
	}
	return score
}

// maxExchanges bounds what one picture draws: 30 exchanges are 60 arrows.
const maxExchanges = 30

// thin keeps the exchanges that a reader looks for, those with a fault or a
// witness, then the earliest, and returns how many it left out.
func (x *exchanges) thin(witness map[int64]bool) int {
	type item struct {
		at      time.Duration
		keep    bool
		attempt bool
		index   int
	}
	var items []item
	for i, a := range x.attempts {
		keep := witness[a.invoke.Seq] || (a.done != nil && witness[a.done.Seq]) || witness[a.wireAt] || (a.wire != nil && a.wire.Fault != "")
		items = append(items, item{a.invoke.At, keep, true, i})
	}
	for i, c := range x.calls {
		items = append(items, item{c.Started, witness[c.seq] || c.Fault != "", false, i})
	}
	if len(items) <= maxExchanges {
		return 0
	}
	slices.SortStableFunc(items, func(a, b item) int {
		if a.keep != b.keep {
			if a.keep {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.at, b.at)
	})
	attempts, calls := make(map[int]bool), make(map[int]bool)
	for _, it := range items[:maxExchanges] {
		if it.attempt {
			attempts[it.index] = true
		} else {
			calls[it.index] = true
		}
	}
	x.attempts = keepIndexes(x.attempts, attempts)
	x.calls = keepIndexes(x.calls, calls)
	return len(items) - maxExchanges
}

func keepIndexes[T any](list []T, keep map[int]bool) []T {
	var kept []T
	for i, v := range list {
		if keep[i] {
			kept = append(kept, v)
		}
	}
	return kept
}

// maxSeats is how many callers get a lifeline of their own.
const maxSeats = 4

// seat gives each attempt a lifeline: one for each caller, and a further one
// for each attempt that a caller has in flight beside its others. Where that
// would be too many, callers share.
func (x *exchanges) seat() []string {
	type seat struct {
		name string
		free time.Duration
	}
	var seats []seat
	perCaller := map[string]int{}
	for i := range x.attempts {
		a := &x.attempts[i]
		end := time.Duration(1<<63 - 1)
		if a.done != nil {
			end = a.done.At
		}
		caller := callerName(a.invoke.Request)
		at := slices.IndexFunc(seats, func(s seat) bool { return s.name == caller && s.free <= a.invoke.At })
		if at < 0 {
			perCaller[caller]++
			at = len(seats)
			seats = append(seats, seat{name: caller})
		}
		seats[at].free, a.seat = end, at
	}
	if len(seats) > maxSeats {
		return x.shareSeats(perCaller)
	}
	names := make([]string, len(seats))
	numbered := map[string]int{}
	for i, s := range seats {
		numbered[s.name]++
		names[i] = s.name
		if perCaller[s.name] > 1 {
			names[i] += " " + strconv.Itoa(numbered[s.name])
		}
	}
	return names
}

func (x *exchanges) shareSeats(perCaller map[string]int) []string {
	var names []string
	at := map[string]int{}
	for i := range x.attempts {
		caller := callerName(x.attempts[i].invoke.Request)
		if len(perCaller) > maxSeats {
			caller = "callers"
		}
		if _, seen := at[caller]; !seen {
			at[caller] = len(names)
			names = append(names, caller)
		}
		x.attempts[i].seat = at[caller]
	}
	for i, name := range names {
		if n := perCaller[name]; n > 1 {
			names[i] = name + " ×" + strconv.Itoa(n)
		}
	}
	return names
}

func callerName(r *harness.Request) string { return cmp.Or(r.Principal, "caller") }
