package reports

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// noOwner is the index under which [builder.effectOwners] keeps effects that no
// exchange explains.
const noOwner = -1

// effectOwners finds the exchange behind each effect: one that was forwarded,
// that asks for this kind of effect and carries its key. Of several the first
// that has no effect yet, so that a second effect shows at the second call. It
// is for the picture only; the ledger alone decides.
func (b *builder) effectOwners(x exchanges) map[int][]harness.Event {
	owners := map[int][]harness.Event{}
	for _, e := range x.effects {
		best := noOwner
		for i, c := range x.calls {
			if c.Forwarded == 0 || !b.explains(c.Call, *e.Effect) {
				continue
			}
			if best == noOwner || len(owners[i]) < len(owners[best]) {
				best = i
			}
		}
		owners[best] = append(owners[best], e)
	}
	return owners
}

func (b *builder) explains(c harness.Call, e harness.Effect) bool {
	if b.kinds[c.Link+"/"+c.Operation] != e.Kind {
		return false
	}
	return (e.Key != "" && e.Key == c.Key) || (e.Key == "" && e.Reference != "" && e.Reference == c.Reference)
}

// effectTime is when the ledger says the effect happened, if that is within the
// experiment on our clock, and else when it was read.
func (b *builder) effectTime(e harness.Event) time.Duration {
	at, err := time.Parse(time.RFC3339Nano, e.Effect.At)
	if err != nil {
		return e.At
	}
	since := at.Sub(b.header.Started)
	if since < b.start || since > e.At {
		return e.At
	}
	return since
}

// effect draws a ledger entry. That it is not the first of its kind for its key
// is said, since this is what a reader looks for; whether it is wrong is the
// check's business.
func (b *builder) effect(e harness.Event, at time.Duration, from int) {
	f := *e.Effect
	key := [2]string{f.Kind, f.Key}
	b.again[key]++
	r := row{kind: rowEffect, at: at, from: from, to: b.ledger, label: oneLine(f.Kind), seqs: []int64{e.Seq},
		detail: oneLine(fmt.Sprintf("%s id=%s key=%s reference=%s amount=%d %s", f.Kind, f.ID, f.Key, f.Reference, f.Amount, f.Currency))}
	if n := b.again[key]; n > 1 && f.Key != "" {
		r.note = fmt.Sprintf("again, no. %d", n)
	}
	b.add(r)
}
