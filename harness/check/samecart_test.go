package check

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// Keys of one cart, and what their stories are made of.
var (
	keyL      = keys("l")
	cartTaken = harness.Answer{Status: 409, Code: "CART_ORDERED"}
)

// declares states the policy for two keys of one cart.
func declares(policy string, s *story) *story {
	s.header.Dialect.SameCart = policy
	return s
}

// raced is a case in which two keys are sent together and then repeated, with so
// many sets of effects.
func (s *story) raced(c string, first, second harness.Answer, sets int) *story {
	k, l := s.invoke(c, keyK), s.invoke(c, keyL)
	s.answer(k, first).answer(l, second).send(c, keyK, first).send(c, keyL, second)
	for range sets {
		s.success(c)
	}
	return s
}

// followed is a case in which the second key comes after the first.
func (s *story) followed(c string, first, second harness.Answer, sets int) *story {
	s.send(c, keyK, first).send(c, keyL, second).send(c, keyK, first).send(c, keyL, second)
	for range sets {
		s.success(c)
	}
	return s
}

// numbered is a success in a ledger that knows orders by the ids of answers.
func (s *story) numbered(c string, ids ...string) *story {
	s.header.OrderIDs = true
	for _, id := range ids {
		s.effect(c, "charge").effect(c, "reservation")
		s.add(harness.Event{Type: harness.EffectEvent, Case: "t/s/" + c, Effect: &harness.Effect{Kind: "order", ID: id}})
	}
	return s
}

func TestTwoKeysOneCart(t *testing.T) {
	judge := TwoKeysOneCart(Labelled("after"), Labelled("race"))
	both := func(second harness.Answer, sets int) *story {
		return newStory().followed("after", boughtAs(1), second, sets).raced("race-1", boughtAs(1), second, sets).raced("race-2", boughtAs(1), second, sets)
	}
	judgeAll(t, judge,
		judged{"two orders", both(boughtAs(2), 2), harness.Pass},
		judged{"refused", both(cartTaken, 1), harness.Pass},
		judged{"the first order again", both(boughtAs(1), 1), harness.Pass},
		judged{"a third set of effects", both(boughtAs(2), 3), harness.Fail},
		judged{"no race", newStory().followed("after", boughtAs(1), boughtAs(2), 2), harness.Inconclusive},
		judged{"one key only", newStory().send("after", keyK, created).success("after").raced("race-1", boughtAs(1), boughtAs(2), 2), harness.Inconclusive},
		judged{"a key without an answer", func() *story {
			s := newStory().followed("after", boughtAs(1), boughtAs(2), 2).send("race-1", keyK, created).success("race-1")
			return s.lose(s.invoke("race-1", keyL))
		}(), harness.Inconclusive},
		judged{"a success that names nothing", both(harness.Answer{Status: 201}, 2), harness.Inconclusive},
	)
	for name, row := range map[string]struct {
		story *story
		told  []string
	}{
		"two orders": {both(boughtAs(2), 2), []string{"one after the other: two orders, 2 charge, 2 order, 2 reservation; at once: two orders, 2 charge", "(2 of 2 times)"}},
		"refused":    {both(cartTaken, 1), []string{"one after the other: one order, the second key answered status 409 CART_ORDERED, 1 charge"}},
		"same order": {both(boughtAs(1), 1), []string{"the same order for both, 1 charge"}},
		"now so, now so": {newStory().followed("after", boughtAs(1), cartTaken, 1).raced("race-1", cartTaken, boughtAs(1), 1).raced("race-2", boughtAs(1), boughtAs(2), 2),
			[]string{"at once: one order, the first key answered status 409 CART_ORDERED, 1 charge, 1 order, 1 reservation (1 of 2 times); or two orders, 2 charge"}},
		"neither": {newStory().followed("after", cartTaken, cartTaken, 0).raced("race-1", cartTaken, cartTaken, 0), []string{"no order, status 409 CART_ORDERED and status 409 CART_ORDERED, no effect"}},
	} {
		v := judge(row.story.history())
		for _, text := range row.told {
			if !strings.Contains(v.Reason, text) {
				t.Errorf("%s: %q lacks %q", name, v.Reason, text)
			}
		}
		if v.Hint == nil || v.Hint.Text != v.Reason || v.Hint.About != "dialect.sameCart" {
			t.Errorf("%s: the hint is %+v", name, v.Hint)
		}
		if v := judge(declares("allow", row.story).history()); v.Hint != nil {
			t.Errorf("%s: a hint where the policy is declared", name)
		}
	}
}

func TestOrdersOfOneCart(t *testing.T) {
	judgeAll(t, OrdersOfOneCart(All()),
		judged{"two orders", newStory().raced("a", boughtAs(1), boughtAs(2), 2), harness.Pass},
		judged{"two orders that the ledger knows", newStory().raced("a", boughtAs(1), boughtAs(2), 0).numbered("a", "o1", "o2"), harness.Pass},
		judged{"refused", newStory().raced("a", boughtAs(1), cartTaken, 1), harness.Pass},
		judged{"one order, told twice", newStory().raced("a", boughtAs(1), boughtAs(1), 1), harness.Pass},
		judged{"a success that did nothing", newStory().raced("a", boughtAs(1), boughtAs(2), 1), harness.Fail},
		judged{"an order of nobody", newStory().raced("a", boughtAs(1), boughtAs(9), 0).numbered("a", "o1", "o2"), harness.Fail},
		judged{"one order, paid twice", newStory().raced("a", boughtAs(1), boughtAs(1), 2), harness.Fail},
		judged{"refused, and charged", newStory().raced("a", boughtAs(1), cartTaken, 1).effect("a", "charge"), harness.Fail},
		judged{"refused, and given back what was taken", newStory().raced("a", boughtAs(1), cartTaken, 1).effect("a", "charge").effect("a", "refund"), harness.Pass},
		judged{"nothing bought, and charged", newStory().raced("a", cartTaken, cartTaken, 0).effect("a", "charge"), harness.Fail},
		judged{"nothing bought", newStory().raced("a", cartTaken, cartTaken, 0), harness.Inconclusive},
		judged{"still open", newStory().raced("a", boughtAs(1), parked, 2), harness.Inconclusive},
		judged{"an open case hides no other", newStory().raced("a", boughtAs(1), parked, 2).raced("b", boughtAs(1), boughtAs(2), 1), harness.Fail},
	)
}

func TestKeysKeepTheirAnswers(t *testing.T) {
	judgeAll(t, KeysKeepTheirAnswers(All(), Labelled("after")),
		judged{"two orders", newStory().followed("after", boughtAs(1), boughtAs(2), 2), harness.Pass},
		judged{"refused", newStory().followed("after", boughtAs(1), cartTaken, 1), harness.Pass},
		judged{"the second key names the first order when repeated", newStory().followed("after", boughtAs(1), boughtAs(2), 2).send("after", keyL, boughtAs(1)), harness.Fail},
		judged{"a success is refused when repeated", newStory().followed("after", boughtAs(1), boughtAs(2), 2).send("after", keyK, cartTaken), harness.Fail},
		judged{"refused, then an order of its own", newStory().followed("after", boughtAs(1), cartTaken, 2).send("after", keyL, boughtAs(2)).send("after", keyL, boughtAs(2)), harness.Fail},
		judged{"refused, then told of the order that there is", newStory().followed("after", boughtAs(1), cartTaken, 1).send("after", keyL, boughtAs(1)).send("after", keyL, boughtAs(1)), harness.Pass},
		judged{"in progress, then an order of its own", newStory().send("after", keyK, created).send("after", keyL, busy).send("after", keyK, created).send("after", keyL, boughtAs(2)).send("after", keyL, boughtAs(2)), harness.Pass},
		judged{"refused in other words when repeated", newStory().followed("after", boughtAs(1), cartTaken, 1).send("after", keyL, harness.Answer{Status: 422}), harness.Pass},
		judged{"refused in a race, then an order of its own", newStory().raced("race", boughtAs(1), cartTaken, 2).send("race", keyL, boughtAs(2)).send("race", keyL, boughtAs(2)), harness.Pass},
		judged{"never repeated", newStory().send("after", keyK, created).send("after", keyL, boughtAs(2)), harness.Inconclusive},
	)
}

func TestSameCartAsDeclared(t *testing.T) {
	two, one, again := newStory().raced("a", boughtAs(1), boughtAs(2), 2), newStory().raced("a", cartTaken, boughtAs(1), 1), newStory().raced("a", boughtAs(1), boughtAs(1), 1)
	open := func() *story { return newStory().raced("a", boughtAs(1), parked, 1) }
	none := func() *story { return newStory().raced("a", cartTaken, cartTaken, 0) }
	judge := SameCartAsDeclared(All())
	for policy, want := range map[string][5]harness.Outcome{ // two orders, one refused, one order for both, one open, both refused
		"":           {harness.NotApplicable, harness.NotApplicable, harness.NotApplicable, harness.NotApplicable, harness.NotApplicable},
		"allow":      {harness.Pass, harness.Fail, harness.Fail, harness.Inconclusive, harness.Fail},
		"refuse":     {harness.Fail, harness.Pass, harness.Fail, harness.Inconclusive, harness.Fail},
		"same-order": {harness.Fail, harness.Fail, harness.Pass, harness.Inconclusive, harness.Fail},
	} {
		for i, s := range []*story{two, one, again, open(), none()} {
			if v := judge(declares(policy, s).history()); v.Outcome != want[i] {
				t.Errorf("sameCart %q, story %d: %s (%s), want %s", policy, i, v.Outcome, v.Reason, want[i])
			}
		}
	}
	for name, row := range map[string]struct {
		story *story
		want  harness.Outcome
	}{
		"one race of several is lost":     {newStory().raced("a", boughtAs(1), cartTaken, 1).raced("b", boughtAs(1), boughtAs(2), 2), harness.Fail},
		"an open case hides no lost race": {open().raced("b", boughtAs(1), boughtAs(2), 2), harness.Fail},
		"an empty history":                {newStory(), harness.Inconclusive},
	} {
		if v := judge(declares("refuse", row.story).history()); v.Outcome != row.want {
			t.Errorf("%s: %s (%s), want %s", name, v.Outcome, v.Reason, row.want)
		}
	}
}

// TestRivalsBecomeTerminal: a refusal that could as well be the answer to a request
// in progress is one, once the cart was bought under the other key.
func TestRivalsBecomeTerminal(t *testing.T) {
	unsaid := harness.Answer{Status: 409}
	codeless := func(s *story) *story {
		s.header.Dialect.InProgress.Code = ""
		s.header.Dialect.Mismatch.Code = "IDEMPOTENCY_CONFLICT"
		return s
	}
	judgeAll(t, RivalsBecomeTerminal(All()),
		judged{"refused", newStory().followed("a", boughtAs(1), cartTaken, 1), harness.Pass},
		judged{"refused without a code", codeless(newStory()).followed("a", boughtAs(1), unsaid, 1), harness.Pass},
		judged{"refused without a code in a race", codeless(newStory()).raced("a", unsaid, boughtAs(1), 1), harness.Pass},
		judged{"neither bought it", codeless(newStory()).raced("a", unsaid, unsaid, 0), harness.Inconclusive},
		judged{"not asked again after it was bought", codeless(newStory()).send("a", keyL, unsaid).send("a", keyK, boughtAs(1)), harness.Inconclusive},
		judged{"in progress for ever", newStory().followed("a", boughtAs(1), harness.Answer{Status: 409, Code: "REQUEST_IN_PROGRESS"}, 1), harness.Inconclusive},
		judged{"the run says that it stayed open", newStory().followed("a", boughtAs(1), cartTaken, 1).mark("a", harness.MarkPending), harness.Fail},
	)
}
