package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// outboxOwners is what a run knows of whose the entries of the outbox are, besides
// what owns effects.
type outboxOwners struct {
	mu     sync.Mutex
	cursor int64             // highest position read so far
	began  int64             // position before the run
	owner  map[string]string // case by correlation ids of single attempts and by the ids that answers named
	readBy map[string]bool   // scenarios
	told   map[entryID]bool  // that a history holds
}

// entryID tells an entry from another that was given its position.
type entryID struct {
	position int64
	eventID  string
}

// outboxReading is what a session has seen of the outbox.
type outboxReading struct {
	since int64      // position when the session began; what is ours came later
	mu    sync.Mutex // one reading at a time, so that no older one replaces a newer
	seen  map[int64]seenEntry
	told  int // entries that were recorded
	// others holds the entries of nobody where others leave effects, and whether a
	// mark has counted them. One that was counted stays: whose it is by then must not
	// make room for another in the count.
	others map[entryID]bool
}

type seenEntry struct {
	caseID string
	event  OutboxEvent
}

// reading begins one: the entries of a session get their positions after it began.
func (o *outboxOwners) reading() *outboxReading {
	o.mu.Lock()
	defer o.mu.Unlock()
	return &outboxReading{since: o.cursor, seen: map[int64]seenEntry{}, others: map[entryID]bool{}}
}

// beginOutbox notes where the outbox stands: what is older is none of the run's.
// One that cannot be read is for whoever needs it to tell.
func (r *Runner) beginOutbox(ctx context.Context) {
	if r.target.Observe.Outbox == nil {
		return
	}
	events, err := r.target.Observe.Outbox.Events(ctx, 0)
	if err != nil {
		return
	}
	for _, e := range events {
		r.state.ofEvent(e)
	}
	r.state.outbox.began = r.state.outbox.cursor
}

// ownsEvents lets entries that carry one of the values belong to the case. Whoever
// was first keeps it: an answer may name what is somebody else's.
func (s *Session) ownsEvents(c *Case, values ...string) {
	if s.target.Observe.Outbox == nil {
		return
	}
	o := &s.run.outbox
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.owner == nil {
		o.owner = map[string]string{}
	}
	for _, v := range values {
		if v != "" && o.owner[v] == "" {
			o.owner[v] = c.ID
		}
	}
}

// ofEvent finds the case of an entry, or "": by its correlation id, else by what
// it is about, which is a request, an order or a cart.
func (r *runState) ofEvent(e OutboxEvent) string {
	r.outbox.mu.Lock()
	defer r.outbox.mu.Unlock()
	r.outbox.cursor = max(r.outbox.cursor, e.Position)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range []string{e.CorrelationID, e.AggregateID} {
		if v == "" {
			continue
		}
		for _, owner := range []map[string]string{r.owner, r.outbox.owner} {
			if id := owner[v]; id != "" {
				return id
			}
		}
	}
	return ""
}

// ReadOutbox reads the outbox until nothing of it has changed for a window, and
// records of the session's cases each entry that is new, has changed or is gone.
func (s *Session) ReadOutbox(ctx context.Context) error {
	if s.target.Observe.Outbox == nil {
		return s.notOffered("read the target's outbox", "observe.outbox")
	}
	s.run.outbox.readFor(s.id)
	var last outboxCount
	began := time.Now()
	err := still(ctx, quietWindow, "outbox entries", func(ctx context.Context) (count, busy int, err error) {
		if last, err = s.sampleOutbox(ctx); err != nil {
			return 0, 0, err
		}
		if last.strays > 0 && time.Since(began) < logLimit {
			busy = 1 // of a request whose answer, which names it, is under way
		}
		return last.told, busy, nil
	})
	if err != nil {
		return s.unproven(err)
	}
	s.Note(nil, MarkOutbox, "", map[string]int64{OutboxOurs: int64(last.ours), OutboxStrays: int64(last.strays), OutboxOthers: s.outbox.countOthers()})
	return nil
}

// outboxCount counts the entries of one reading, and those recorded so far.
type outboxCount struct{ ours, strays, others, told int }

// sampleOutbox reads the outbox once. All entries since the session began are read
// each time: one that was numbered earlier may be committed later, and an old one
// may have changed.
func (s *Session) sampleOutbox(ctx context.Context) (n outboxCount, err error) {
	o := s.outbox
	o.mu.Lock()
	defer o.mu.Unlock()
	all, err := s.target.Observe.Outbox.Events(ctx, o.since)
	if err != nil {
		return n, err
	}
	there := map[int64]bool{}
	for _, e := range all {
		id := s.run.ofEvent(e)
		if id != "" {
			o.knowsOwner(e)
		}
		switch {
		case id == "" && s.target.Info.SharedLedger: // where others leave effects they leave events
			n.others++
			o.sawOther(e)
		case id == "":
			n.strays++
		case strings.HasPrefix(id, s.id+"/"):
			n.ours++
			there[e.Position] = true
			if known, seen := o.seen[e.Position]; !seen || !known.event.same(e) {
				s.sawEntry(id, e)
			}
		}
	}
	for position, known := range o.seen {
		if !there[position] && !known.event.Gone {
			known.event.Gone = true
			s.sawEntry(known.caseID, known.event)
		}
	}
	n.told = o.told
	return n, nil
}

// sawEntry records an entry. The caller holds the reading.
func (s *Session) sawEntry(id string, e OutboxEvent) {
	s.outbox.seen[e.Position] = seenEntry{id, e}
	s.outbox.told++
	s.run.outbox.tell(e)
	s.rec.Append(Event{Type: OutboxEntry, Case: id, Outbox: &e})
}

// tryOutbox wants an entry of a checkout that was made, and one of which it can be
// told that it is.
func (s *Session) tryOutbox(ctx context.Context, c *Case) (string, error) {
	if s.target.Observe.Outbox == nil {
		return "", errNothingReads
	}
	if problem := s.tryCheckout(ctx, c, s.DefaultPrincipal()); problem != "" {
		return "", errors.New("the checkout that was to leave an entry: " + problem)
	}
	for began := time.Now(); ; {
		n, err := s.sampleOutbox(ctx)
		if err != nil {
			return "", err
		}
		if left := s.outbox.of(c); left > 0 {
			return fmt.Sprintf("%d entries of a checkout that was made", left), nil
		}
		if time.Since(began) > logLimit {
			return "", fmt.Errorf("it was read, and of a checkout that was made it holds not one entry; %d entries of that time belong to no request of ours: give each the correlation id of its request as correlationId, or the id of the request, the order or the cart as aggregateId", n.strays+n.others)
		}
		if err := s.Watch(ctx, logTick); err != nil {
			return "", err
		}
	}
}

// of counts the entries of a case.
func (o *outboxReading) of(c *Case) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, e := range o.seen {
		if e.caseID == c.ID {
			n++
		}
	}
	return n
}
