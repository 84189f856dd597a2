package harness

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// tell notes that a history holds the entry.
func (o *outboxOwners) tell(e OutboxEvent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.told == nil {
		o.told = map[entryID]bool{}
	}
	o.told[entryID{e.Position, e.EventID}] = true
}

// readFor notes that a scenario judges what is in the outbox.
func (o *outboxOwners) readFor(scenario string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.readBy == nil {
		o.readBy = map[string]bool{}
	}
	o.readBy[scenario] = true
}

// late reports whether the entry came after the scenario of its case had read the
// outbox for the last time.
func (o *outboxOwners) late(caseID string, e OutboxEvent) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.readBy[scenarioOf(caseID)] && !o.told[entryID{e.Position, e.EventID}]
}

var errInterrupted = errors.New("the run was interrupted")

// recordLateEvents reads the outbox once more for the scenarios that have read it,
// and records of their cases what no history holds: a replay may have told of
// itself seconds later.
func (r *Runner) recordLateEvents(ctx context.Context, rec *Recorder) {
	if r.target.Observe.Outbox == nil {
		return
	}
	events, err := r.target.Observe.Outbox.Events(ctx, r.state.outbox.began)
	if err != nil {
		for _, scenario := range r.state.outbox.readers() {
			rec.Append(outboxUnread(scenario+"/", err))
		}
		return
	}
	for _, e := range events {
		if id := r.state.ofEvent(e); r.state.outbox.late(id, e) {
			rec.Append(Event{Type: OutboxEntry, Case: id, Outbox: &e})
		}
	}
}

// readers returns the scenarios that judge what is in the outbox.
func (o *outboxOwners) readers() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.readBy))
}

func outboxUnread(caseID string, err error) Event {
	return Event{Type: MarkEvent, Case: caseID, Mark: &Mark{Name: MarkOutboxUnread, Detail: "the outbox was not read again at the end of the run: " + err.Error()}}
}

// isOfOutbox reports whether the event of an aftermath is about the outbox.
func (e Event) isOfOutbox() bool {
	return e.Type == OutboxEntry || e.Type == MarkEvent && e.Mark.Name == MarkOutboxUnread
}
