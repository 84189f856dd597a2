package harness

import "cmp"

// fill completes an attempt with what the case and the target give.
func (s *Session) fill(c *Case, a *Attempt) {
	if a.Operation == "" {
		a.Operation = OpCheckout
	}
	if a.Keys == nil && a.Operation != OpStatus {
		a.Keys = []string{s.target.Info.Dialect.KeyLine(c.Key)}
	}
	vars := map[string]any{"cart": c.Cart, "amount": c.Amount, "reference": c.Cart, "correlationId": c.CorrelationID}
	for k, v := range a.Vars {
		vars[k] = v
	}
	if a.Operation == OpStatus {
		s.fillIDs(vars)
	}
	a.Vars = vars
	if a.CorrelationID == "" {
		a.CorrelationID = c.CorrelationID
	}
	c.mu.Lock()
	c.attempts++
	a.Number = c.attempts
	c.mu.Unlock()
	a.CaseID, a.RunID = c.ID, s.run.id
	if a.Via == "" {
		a.Via = s.via(c)
	}
}

// fillIDs lets a status read go by either id of a checkout: the route may be by the
// one that the scenario does not hold. An answer that named one id only has it
// stand for both, and so does an id that nobody has.
func (s *Session) fillIDs(vars map[string]any) {
	request, order := text(vars["requestId"]), text(vars["orderId"])
	if order == "" {
		s.mu.Lock()
		order = s.orders[request]
		s.mu.Unlock()
	}
	vars["requestId"], vars["orderId"] = cmp.Or(request, order), cmp.Or(order, request)
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
