package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// rival is what became of one of two keys that were sent for the same version of
// a cart, as by a client that lost the first.
type rival struct {
	answers  []attempt // in order of completion
	won      int       // the first success among them, or -1
	terminal bool      // the answer that says best ends the matter
}

func (r rival) bought() bool { return r.won >= 0 }

// telling is the answer that says best what became of the key.
func (r rival) telling() attempt {
	if r.bought() {
		return r.answers[r.won]
	}
	return r.answers[len(r.answers)-1]
}

// order is what a success names: its order, or its request where the API names no
// orders. Without a success it is empty.
func (r rival) order() string {
	if !r.bought() {
		return ""
	}
	return cmp.Or(r.telling().Done.Answer.OrderID, r.telling().Done.Answer.RequestID)
}

func (r rival) outcome() string {
	if r.bought() {
		return "order " + r.order()
	}
	return statusText(r.telling())
}

// refusedAlike reports whether the key goes on being answered like one whose request
// is at work, long after its rival bought the cart: where no code tells the two
// apart, that is a refusal.
func (r rival) refusedAlike(h *harness.History, other rival) bool {
	last := r.answers[len(r.answers)-1]
	return !r.bought() && other.bought() && h.Header.Dialect.InProgress.Code == "" &&
		last.class(h) == harness.ClassInProgress && last.Invoke.At > other.telling().Done.At
}

// rivals are the two keys of a case, the one that was sent first in front.
type rivals struct {
	label string
	keys  [2]rival
	books *tally
}

// rivalsOf returns the cases of the pick in which two keys were both answered, in
// order. The verdict is undecided where there are others, or none.
func rivalsOf(h *harness.History, pick Pick) (list []rivals, gap harness.Verdict) {
	books, index := tallies(h, pick), map[string][]rival{}
	var order []string
	undecided := func(id, reason string) { gap = earlier(gap, harness.Undecided(reason, books[id].asked...)) }
	for _, group := range groups(h, keyed(attempts(h, pick))) {
		id := group[0].Invoke.Case
		if _, seen := index[id]; !seen {
			order = append(order, id)
		}
		r := rival{answers: slices.DeleteFunc(group, func(a attempt) bool { return !a.answered() })}
		if len(r.answers) > 0 {
			r.won = slices.IndexFunc(r.answers, func(a attempt) bool { return a.class(h) == harness.ClassSuccess })
			r.terminal = r.telling().class(h).Terminal()
		}
		index[id] = append(index[id], r)
	}
	for _, id := range order {
		keys := index[id]
		switch {
		case len(keys) != 2:
			undecided(id, fmt.Sprintf("%s for the cart of case %s, wanted two", several(len(keys), "key"), label(h, id)))
		case len(keys[0].answers) == 0 || len(keys[1].answers) == 0:
			undecided(id, "a key of case "+label(h, id)+" was never answered")
		case keys[0].bought() && keys[0].order() == "" || keys[1].bought() && keys[1].order() == "":
			undecided(id, "a success of case "+label(h, id)+" names neither an order nor a request")
		default:
			for i := range keys {
				keys[i].terminal = keys[i].terminal || keys[i].refusedAlike(h, keys[1-i])
			}
			list = append(list, rivals{label(h, id), [2]rival(keys), books[id]})
		}
	}
	if len(order) == 0 {
		gap = harness.Undecided("no cart was bought under two keys")
	}
	return list, gap
}

// earlier keeps the first reason why nothing can be decided.
func earlier(first, next harness.Verdict) harness.Verdict {
	if first.Reason != "" {
		return first
	}
	return next
}

func (c rivals) bought() int {
	n := 0
	for _, k := range c.keys {
		if k.bought() {
			n++
		}
	}
	return n
}

// open reports whether an answer of a key leaves it open what becomes of it.
func (c rivals) open() bool { return !c.keys[0].terminal || !c.keys[1].terminal }

// orders counts the orders that the successes name.
func (c rivals) orders() int {
	if c.bought() == 2 && c.keys[0].order() == c.keys[1].order() {
		return 1
	}
	return c.bought()
}

func (c rivals) witnesses() []int64 {
	return []int64{c.keys[0].telling().witness(), c.keys[1].telling().witness()}
}

// outcome tells what the two keys brought.
func (c rivals) outcome() string {
	effects, _ := c.books.left()
	switch refused := slices.IndexFunc(c.keys[:], func(k rival) bool { return !k.bought() }); {
	case c.orders() == 2:
		return "two orders, " + describe(effects)
	case c.bought() == 2:
		return "the same order for both, " + describe(effects)
	case c.bought() == 1:
		return fmt.Sprintf("one order, the %s key answered %s, %s", []string{"first", "second"}[refused], c.keys[refused].outcome(), describe(effects))
	}
	return fmt.Sprintf("no order, %s and %s, %s", c.keys[0].outcome(), c.keys[1].outcome(), describe(effects))
}

// TwoKeysOneCart judges I1 where a cart is bought under two keys, first one after
// the other, then at once, and tells what the target makes of it: two orders, a
// refusal, or the first order again are all somebody's policy, and a client has to
// know which.
func TwoKeysOneCart(after, atOnce Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		text := "two keys for one cart version"
		for _, part := range []struct {
			name string
			pick Pick
		}{{"one after the other", after}, {"at once", atOnce}} {
			if v := AtMostOnce(part.pick)(h); v.Outcome != harness.Pass {
				return v
			}
			list, gap := rivalsOf(h, part.pick)
			if gap.Reason != "" {
				return gap
			}
			text += "; " + part.name + ": " + outcomes(list)
		}
		v := harness.Passed(text)
		if h.Header.Dialect.SameCart == "" {
			v.Hint = &harness.Hint{About: "dialect.sameCart", Text: text,
				Next: "a client that lost its key meets this; to have it judged, say in dialect.sameCart what it should be: allow, refuse or same-order"}
		}
		return v
	}
}

// outcomes tells each different outcome once, and how often there was another.
func outcomes(list []rivals) string {
	times, order := map[string]int{}, []string(nil)
	for _, c := range list {
		o := c.outcome()
		if times[o]++; times[o] == 1 {
			order = append(order, o)
		}
	}
	text := ""
	for i, o := range order {
		if i > 0 {
			text += "; or "
		}
		text += o
		if len(list) > 1 {
			text += fmt.Sprintf(" (%d of %d times)", times[o], len(list))
		}
	}
	return text
}
