package harness

// sawOther notes an entry of nobody in an outbox that others use. The caller holds
// the reading.
func (o *outboxReading) sawOther(e OutboxEvent) {
	id := entryID{e.Position, e.EventID}
	if _, known := o.others[id]; !known {
		o.others[id] = false
	}
}

// knowsOwner drops what was nobody's only until the answer came that names it. The
// caller holds the reading.
func (o *outboxReading) knowsOwner(e OutboxEvent) {
	id := entryID{e.Position, e.EventID}
	if !o.others[id] {
		delete(o.others, id)
	}
}

// countOthers counts for a mark all entries of nobody that were found so far.
func (o *outboxReading) countOthers() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.others {
		o.others[id] = true
	}
	return int64(len(o.others))
}
