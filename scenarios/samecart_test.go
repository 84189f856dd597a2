package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/oncecheck/oncecheck/harness"
)

// cartShop is a target in memory with a policy of its own for a second key of one
// cart, which tells of its exchanges as a link of ours would.
type cartShop struct {
	*counter
	policy string // allow, refuse, same-order; refuse-like-progress: with a 409 that could as well be that of a request in progress
	sin    string // races: two keys at once both look for an order before either makes one; phantom, pays: what a second key does to a cart, the former at once only

	mu     sync.Mutex
	orders map[any]harness.Answer // by cart
	keys   map[string]harness.Answer
	looked map[any]*sync.WaitGroup
	told   map[string]func(harness.Call) // by case
}

func newCartShop(policy, sin string, d harness.Dialect) *cartShop {
	return &cartShop{counter: &counter{dialect: d, known: map[string]known{}, lines: map[string]bool{}}, policy: policy, sin: sin,
		orders: map[any]harness.Answer{}, keys: map[string]harness.Answer{}, looked: map[any]*sync.WaitGroup{}, told: map[string]func(harness.Call){}}
}

func (c *cartShop) Follow(caseID string, _ []string, sink func(harness.Call)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[caseID] = sink
	return func() {}
}

func (c *cartShop) InFlight(string) int                     { return 0 }
func (c *cartShop) Strays(func(harness.Call)) (stop func()) { return func() {} }
func (c *cartShop) is(sin string) bool                      { return c.sin == sin }

func (c *cartShop) Send(ctx context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	together := a.Ready != nil
	if together {
		a.Ready()
		<-a.Release
	}
	sent := harness.Request{BodySHA256: fmt.Sprint(a.Vars["cart"], a.Vars["amount"])}
	c.mu.Lock()
	defer c.mu.Unlock()
	if together {
		defer func() { c.told[a.CaseID](harness.Call{Link: harness.LinkClient, Forwarded: 1, Answered: 2}) }()
	}
	cart := a.Vars["cart"]
	if answer, used := c.keys[a.Keys[0]]; used {
		return sent, answer, nil
	}
	first, taken := c.orders[cart]
	if together && c.is("races") {
		c.both(cart)
	}
	answer := harness.Answer{Status: 409, Code: "CART_ORDERED", BodySHA256: "taken"}
	switch {
	case taken && together && c.is("phantom"):
		answer = harness.Answer{Status: 201, JSON: true, OrderID: "none", RequestID: a.Keys[0], BodySHA256: "none"}
	case taken && c.policy == "refuse":
	case taken && c.policy == "refuse-like-progress":
		answer.Code = ""
	case taken && c.policy == "same-order" && !c.is("pays"):
		answer = first
	default:
		_, made, err := c.counter.Send(ctx, a)
		if err != nil {
			return sent, made, err
		}
		if answer = made; taken && c.is("pays") {
			answer = first
		}
		c.orders[cart] = answer
	}
	c.keys[a.Keys[0]] = answer
	return sent, answer, nil
}

// both waits until two requests have looked for an order of the cart.
func (c *cartShop) both(cart any) {
	met := c.looked[cart]
	if met == nil {
		met = &sync.WaitGroup{}
		met.Add(2)
		c.looked[cart] = met
	}
	c.mu.Unlock()
	met.Done()
	met.Wait()
	c.mu.Lock()
}

// TestTwoKeysOneCart: each policy is told for what it is, passes where it is the
// declared one or none is, and what breaks it fails, the race above all.
func TestTwoKeysOneCart(t *testing.T) {
	const declared, told = "second-key-as-declared", "every-order-told-is-made-once"
	for name, row := range map[string]struct {
		policy, sin, declared string
		fails                 []string
		says                  string // in the scenario's reason, and in a hint where nothing is declared
	}{
		"two orders":                        {"allow", "", "", nil, "one after the other: two orders, 2 order; at once: two orders, 2 order"},
		"refused":                           {"refuse", "", "", nil, "one order, the second key answered status 409 CART_ORDERED, 1 order"},
		"the first order again":             {"same-order", "", "", nil, "the same order for both, 1 order"},
		"refused as if it were at work":     {"refuse-like-progress", "", "refuse", nil, ""},
		"two orders, as declared":           {"allow", "", "allow", nil, ""},
		"refused, as declared":              {"refuse", "", "refuse", nil, ""},
		"the first order, as declared":      {"same-order", "", "same-order", nil, ""},
		"two orders, and refusals declared": {"allow", "", "refuse", []string{declared}, ""},
		"refused, and two orders declared":  {"refuse", "", "allow", []string{declared}, ""},
		"refused, and one order declared":   {"refuse", "", "same-order", []string{declared}, ""},
		"refuses but in a race":             {"refuse", "races", "refuse", []string{declared}, ""},
		"one order but in a race":           {"same-order", "races", "same-order", []string{declared}, ""},
		"a race that nobody declared":       {"refuse", "races", "", nil, "the second key answered status 409 CART_ORDERED, 1 order; at once: two orders, 2 order (5 of 5 times)"},
		"told a success that did nothing":   {"same-order", "phantom", "", []string{told}, ""},
		"told of one order, paid twice":     {"same-order", "pays", "", []string{told}, ""},
		"paid twice, where one is declared": {"same-order", "pays", "same-order", []string{told}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := asked()
				d.SameCart = row.declared
				if row.policy == "refuse-like-progress" {
					d.InProgress.Code = ""
				}
				shop := newCartShop(row.policy, row.sin, d)
				e := try(t, shop, shop, d, func(s harness.Scenario) bool { return s.ID == "idempotency/two-keys-one-cart" })
				var failed []string
				for _, c := range e.Clauses {
					for _, k := range c.Checks {
						if k.Verdict == harness.Fail {
							failed = append(failed, k.Name)
						}
					}
				}
				if slices.Sort(failed); !slices.Equal(failed, row.fails) {
					t.Errorf("failed: %v, want %v", failed, row.fails)
				}
				i := slices.IndexFunc(e.Scenarios, func(s harness.ScenarioResult) bool { return s.ID == "idempotency/two-keys-one-cart" })
				s := e.Scenarios[i]
				if passed := s.Verdict == harness.Pass; passed != (row.fails == nil) || !strings.Contains(s.Reason, row.says) {
					t.Errorf("%s: %s", s.Verdict, s.Reason)
				}
				if hinted := slices.ContainsFunc(e.Run.Hints, func(h harness.Hint) bool { return strings.Contains(h.Text, row.says) }); row.says != "" && !hinted {
					t.Errorf("hints %+v", e.Run.Hints)
				}
			})
		})
	}
}
