package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// account is what one case asked for and what the ledger shows of it.
type account struct {
	sent      map[Scope]string // the operation of each request
	succeeded map[Scope]bool
	orders    map[Scope]string // what a success named
	terminal  map[Scope]bool
	amounts   map[int64]bool // asked for
	entries   map[string][]Event
	accepted  map[string]map[string]bool // by kind, the provider keys that a link saw accepted
}

// accounts walks the history once and keeps the books of every case.
func accounts(h *History) map[string]*account {
	books := map[string]*account{}
	of := func(id string) *account {
		if books[id] == nil {
			books[id] = &account{sent: map[Scope]string{}, succeeded: map[Scope]bool{}, orders: map[Scope]string{}, terminal: map[Scope]bool{},
				amounts: map[int64]bool{}, entries: map[string][]Event{}, accepted: map[string]map[string]bool{}}
		}
		return books[id]
	}
	kinds := effectKinds(h.Header.Links)
	for e := range h.Events() {
		switch {
		case e.Case == "":
		case e.Request != nil && mayMove(e.Request.Operation):
			of(e.Case).asked(h.Header.Dialect, e)
		case e.Type == EffectEvent:
			a := of(e.Case)
			a.entries[e.Effect.Kind] = append(a.entries[e.Effect.Kind], e)
		case e.Type == CallEvent && e.Call.Upstream >= 200 && e.Call.Upstream < 300:
			if kind := kinds[e.Call.Link+"/"+e.Call.Operation]; kind != "" {
				of(e.Case).accept(kind, e)
			}
		}
	}
	return books
}

// mayMove reports whether an operation can leave effects in the ledger: reading
// cannot, and calls of a scripted dependency reach none.
func mayMove(operation string) bool {
	return operation != OpStatus && operation != OpCall && operation != OpGateway
}

func effectKinds(links []LinkInfo) map[string]string {
	kinds := map[string]string{}
	for _, l := range links {
		for _, o := range l.Operations {
			kinds[l.Name+"/"+o.Name] = o.Effect
		}
	}
	return kinds
}

func (a *account) asked(d Dialect, e Event) {
	id := successID(d, e)
	if e.Type == Invoke {
		if _, again := a.sent[id]; !again {
			a.sent[id] = e.Request.Operation
		}
		a.amounts[e.Request.Amount] = true
	}
	if e.Type != OK {
		return
	}
	class := d.Classify(*e.Answer)
	if class == ClassSuccess {
		a.succeeded[id], a.orders[id] = true, e.Answer.OrderID
	}
	a.terminal[id] = a.terminal[id] || class.Terminal()
}

// accept notes an accepted effect. Without a key each call is its own.
func (a *account) accept(kind string, e Event) {
	if a.accepted[kind] == nil {
		a.accepted[kind] = map[string]bool{}
	}
	key := e.Call.Key
	if key == "" {
		key = fmt.Sprint("keyless ", e.Seq)
	}
	a.accepted[kind][key] = true
}

// successes counts the distinct requests that were answered with a success.
func (a *account) successes() int {
	n := 0
	for _, ok := range a.succeeded {
		if ok {
			n++
		}
	}
	return n
}

// open reports whether some request of the case has no terminal answer, so that
// effects without an answered success may yet have a cause.
func (a *account) open() bool {
	for id := range a.sent {
		if !a.terminal[id] {
			return true
		}
	}
	return false
}

// net is the number of entries of a kind less those that undo it.
func (a *account) net(kind string) int {
	n := len(a.entries[kind])
	for undo, entries := range a.entries {
		if Reversed(undo) == kind {
			n -= len(entries)
		}
	}
	return n
}

// undoing returns the entries that undo those of a kind.
func (a *account) undoing(kind string) []Event {
	var list []Event
	for _, undo := range slices.Sorted(maps.Keys(a.entries)) {
		if Reversed(undo) == kind {
			list = append(list, a.entries[undo]...)
		}
	}
	return list
}

// audit judges the books of a scenario for I1 and I6 whatever its own checks
// look at: a duplicate or an orphan is one in a scenario about status reads, too.
// It adds nothing where the books balance; the scenario's checks say that.
func audit(s Scenario, h *History) []auditEntry {
	p := collect(h)
	if !p.settled || p.interrupted || p.vanished != "" || !h.Header.offers(CapEffects) || h.Header.Control.Outcome != Pass {
		return nil
	}
	var found []auditEntry
	add := func(invariant, name string, v Verdict) {
		found = append(found, auditEntry{invariant, CheckResult{Name: name, Scenario: s.ID, Verdict: v.Outcome, Reason: v.Reason,
			Expected: v.Expected, Observed: v.Observed, Witness: witnesses(h, v.Witness)}})
	}
	books := accounts(h)
	for _, id := range slices.Sorted(maps.Keys(books)) {
		a := books[id]
		asks := a.asks(h.Header)
		if asks.vague {
			continue
		}
		label := strings.TrimPrefix(id, s.ID+"/")
		for _, kind := range slices.Sorted(maps.Keys(h.Header.PerSuccess)) {
			entries := a.entries[kind]
			switch limit, owed := asks.limit[kind], asks.owed[kind]; {
			case len(entries) > limit:
				add("I1", "no-duplicate-in-ledger", Failed(fmt.Sprintf("at most %d %s for %d request(s) of case %s", limit, kind, len(a.sent), label), fmt.Sprintf("%d in the ledger", len(entries)), seqs(entries)...))
			case a.net(kind) < 0:
				add("I1", "no-effect-undone-twice", Failed(fmt.Sprintf("no more than %d reversal(s) of %s in case %s", len(entries), kind, label), fmt.Sprintf("%d in the ledger", len(entries)-a.net(kind)), seqs(a.undoing(kind))...))
			case a.net(kind) < owed && len(a.undoing(kind)) > 0 && !a.open() && p.lost == "" && p.withheld == "":
				add("I6", "no-success-undone", Failed(fmt.Sprintf("%d %s for %d success(es) of case %s, and none of them undone", owed, kind, a.successes(), label), fmt.Sprintf("%d left in the ledger", a.net(kind)), seqs(a.undoing(kind))...))
			case a.net(kind) > owed && !a.open() && p.lost == "" && p.withheld == "":
				add("I6", "no-orphan-in-ledger", Failed(fmt.Sprintf("%d %s for %d success(es) of case %s", owed, kind, a.successes(), label), fmt.Sprintf("%d left in the ledger", a.net(kind)), seqs(entries)...))
			}
			if n := len(a.accepted[kind]); n > len(entries) {
				add("I1", "probe-sees-what-links-carried", Undecided(fmt.Sprintf("a provider accepted %d %s of case %s under different keys, and the probe shows %d: it hides effects, so nothing can be concluded from it", n, kind, label, len(entries))))
			}
			if v := a.wrongAmount(h.Header, kind, label); v.Outcome == Fail {
				add("I1", "amounts-as-requested", v)
			}
		}
	}
	return found
}

// auditEntry is a finding of the audit and the invariant it breaks.
type auditEntry struct {
	invariant string
	result    CheckResult
}

// wrongAmount compares entries with what was asked for, where the positive
// control has shown that this kind of entry carries the request's amount.
func (a *account) wrongAmount(h Header, kind, label string) Verdict {
	if !slices.Contains(h.AmountKinds, kind) || h.Dialect.Mismatch.Mode == "execute" {
		return Verdict{}
	}
	for _, e := range a.entries[kind] {
		if !a.amounts[e.Effect.Amount] {
			return Failed(fmt.Sprintf("a %s of the amount that was requested (case %s)", kind, label), fmt.Sprintf("one of %d", e.Effect.Amount), e.Seq)
		}
	}
	return Verdict{}
}

func seqs(entries []Event) []int64 {
	list := make([]int64, len(entries))
	for i, e := range entries {
		list[i] = e.Seq
	}
	return list
}
