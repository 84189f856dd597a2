package harness

// EffectsOf returns what one success of an operation leaves in the ledger, by
// kind, those that undo others among them. It reports false where the profile
// does not say: nothing can be concluded then from what is there.
func (h Header) EffectsOf(operation string) (map[string]int, bool) {
	for _, o := range h.Operations {
		if o.Name == operation {
			return o.Effects, o.Effects != nil
		}
	}
	return h.PerSuccess, true
}

// Undone takes from a count of effects by kind those that were undone, and drops
// the kinds that undo and those of which nothing is left.
func Undone(effects map[string]int) map[string]int {
	left := map[string]int{}
	for kind, n := range effects {
		if undone := Reversed(kind); undone != "" {
			left[undone] -= n
		} else {
			left[kind] += n
		}
	}
	for kind, n := range left {
		if n == 0 {
			delete(left, kind)
		}
	}
	return left
}

// asks is what the requests of a case may leave in the ledger.
type asks struct {
	owed  map[string]int // by those that succeeded, net of what they undo
	limit map[string]int // by all of them, gross
	vague bool           // one that may have succeeded leaves nobody knows what
}

func (a *account) asks(h Header) asks {
	gross, limit, vague := map[string]int{}, map[string]int{}, false
	made := map[Scope]bool{}
	for id, operation := range a.sent {
		effects, known := h.EffectsOf(operation)
		vague = vague || !known && (!a.terminal[id] || a.succeeded[id])
		owes := a.succeeded[id]
		if order := a.orders[id]; owes && order != "" && h.Dialect.SameCart == "same-order" {
			// A second key for one cart is told of the first one's order, and made none.
			same := Scope{Tenant: id.Tenant, Principal: id.Principal, Operation: operation, Key: order}
			owes, made[same] = !made[same], true
		}
		for kind, n := range effects {
			limit[kind] += n
			if owes {
				gross[kind] += n
			}
		}
	}
	return asks{Undone(gross), limit, vague}
}
