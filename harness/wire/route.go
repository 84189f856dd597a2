package wire

// Routed is a route that is in place.
type Routed struct {
	*armed
	link *Link
}

// Route sends exchange n (from 1; 0 means every) of the case and operation to
// another upstream, for example a stub, and marks its calls with the fault's
// text. An empty operation means any. An upstream that is no http or https URL
// makes those exchanges end upstream-failed.
func (l *Link) Route(caseID, operation string, exchange int, upstream, fault string) *Routed {
	a := newArmed(caseID, operation, exchange, fault)
	a.origin = l.network(upstream)
	l.arm(a)
	return &Routed{armed: a, link: l}
}

// Lift removes the route. It is idempotent.
func (r *Routed) Lift() { r.link.disarm(r.armed) }
