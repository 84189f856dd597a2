package check

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/oncecheck/oncecheck/harness"
)

func TestAtMostOnce(t *testing.T) {
	judgeAll(t, AtMostOnce(All()),
		judged{"one effect of each kind", newStory().send("a", keyK, created).success("a"), harness.Pass},
		judged{"no effect at all is not its concern", newStory().send("a", keyK, created), harness.Pass},
		judged{"two charges", newStory().send("a", keyK, created).success("a").effect("a", "charge"), harness.Fail},
		judged{"a second charge that was voided was still a second charge", newStory().send("a", keyK, created).success("a").effect("a", "charge").effect("a", "void"), harness.Fail},
		judged{"two keys, two charges", newStory().send("a", keyK, created).send("a", harness.Request{Keys: []string{"l"}}, created).success("a").success("a"), harness.Pass},
		judged{"an effect that no success has", newStory().send("a", keyK, created).effect("a", "refund"), harness.Fail},
		judged{"two charges although the answer was lost", func() *story {
			s := newStory()
			return s.lose(s.invoke("a", keyK)).effect("a", "charge").effect("a", "charge")
		}(), harness.Fail},
	)
}

// hidden is a story whose ledger shows orders only.
func hidden() *story {
	s := newStory()
	s.header.PerSuccess = map[string]int{"order": 1}
	return s
}

func TestAtMostOnceAtTheDependency(t *testing.T) {
	split := newStory()
	split.header.PerSuccess["charge"] = 2
	keyless := newStory()
	keyless.header.Links[0].Operations[0].Keyless = true
	reversing := newStory()
	reversing.header.Links[0].Operations[0].Effect = "refund"
	judgeAll(t, AtMostOnce(All()),
		judged{"repeated under its provider key", newStory().send("a", keyK, created).charge("a", "p", "", 201).charge("a", "p", "", 201).success("a"), harness.Pass},
		judged{"the second answer was lost, and the ledger shows one", newStory().send("a", keyK, created).charge("a", "p", "", 201).charge("a", "q", "payment/charge#2:after-commit:reset", 0).success("a"), harness.Fail},
		judged{"two charges behind one order", hidden().send("a", keyK, created).charge("a", "p", "", 201).charge("a", "q", "", 201).effect("a", "order"), harness.Fail},
		judged{"charged twice, and the answer was lost", func() *story {
			s := hidden()
			return s.lose(s.invoke("a", keyK)).charge("a", "p", "", 201).charge("a", "q", "", 201)
		}(), harness.Fail},
		judged{"one charge behind one order", hidden().send("a", keyK, created).charge("a", "p", "", 201).effect("a", "order"), harness.Pass},
		judged{"two requests, a charge each", hidden().send("a", keyK, created).send("a", harness.Request{Keys: []string{"l"}}, created).charge("a", "p", "", 201).charge("a", "q", "", 201).effect("a", "order").effect("a", "order"), harness.Pass},
		judged{"two requests, and three charges", hidden().send("a", keyK, created).send("a", harness.Request{Keys: []string{"l"}}, created).charge("a", "p", "", 201).charge("a", "q", "", 201).charge("a", "r", "", 201).effect("a", "order").effect("a", "order"), harness.Fail},
		judged{"one in each of two cases", hidden().send("a", keyK, created).send("b", keyK, created).charge("a", "p", "", 201).charge("b", "q", "", 201), harness.Pass},
		judged{"without a provider key nothing is told apart", hidden().send("a", keyK, created).charge("a", "", "", 201).charge("a", "", "", 201).effect("a", "order"), harness.Pass},
		judged{"two are what a success leaves", split.send("a", keyK, created).charge("a", "p", "", 201).charge("a", "q", "", 201).success("a").effect("a", "charge"), harness.Pass},
		judged{"the dependency takes no key", keyless.send("a", keyK, created).charge("a", "p", "", 201).charge("a", "q", "", 201).success("a"), harness.Pass},
		judged{"what undoes an effect is none", reversing.send("a", keyK, created).charge("a", "p", "", 201).charge("a", "q", "", 201).success("a"), harness.Pass},
		judged{"the dependency refused the first", newStory().send("a", keyK, created).call("a", harness.Call{Link: "payment", Operation: "charge", Key: "p", Upstream: 503, Status: 503}).charge("a", "q", "", 201).success("a"), harness.Pass},
		judged{"declined with a 2xx, and asked again", newStory().send("a", keyK, declined).charge("a", "p", "", 200).send("a", keyK, declined).charge("a", "q", "", 200), harness.Pass},
		judged{"a query is no effect", newStory().send("a", keyK, created).call("a", harness.Call{Link: "payment", Operation: "query", Key: "p", Upstream: 200}).call("a", harness.Call{Link: "payment", Operation: "query", Key: "q", Upstream: 200}).success("a"), harness.Pass},
	)
}

func TestEffectsMatchSuccesses(t *testing.T) {
	judgeAll(t, EffectsMatchSuccesses(All()),
		judged{"one success, its effects", newStory().send("a", keyK, created).success("a"), harness.Pass},
		judged{"a success without its order", newStory().send("a", keyK, created).effect("a", "charge").effect("a", "reservation"), harness.Fail},
		judged{"twice", newStory().send("a", keyK, created).success("a").success("a"), harness.Fail},
		judged{"a refused request that charged", newStory().send("a", keyK, invalid).effect("a", "charge"), harness.Fail},
		judged{"a declined request whose reservation was released", newStory().send("a", keyK, declined).effect("a", "reservation").effect("a", "release"), harness.Pass},
		judged{"a declined request that kept its reservation", newStory().send("a", keyK, declined).effect("a", "reservation"), harness.Fail},
		judged{"two keyless requests, one set of effects", newStory().send("a", harness.Request{}, created).send("a", harness.Request{}, created).success("a"), harness.Fail},
		judged{"two principals, two sets", newStory().send("a", keyK, created).send("a", harness.Request{Keys: []string{"k"}, Principal: "bob"}, created).success("a").success("a"), harness.Pass},
	)
}

// afterCancel is a story of a target whose cancel refunds and releases.
func afterCancel(effects map[string]int) *story {
	s := newStory()
	s.header.Operations = []harness.KeyedOperation{{Name: "cancel", Effects: effects}}
	return s.send("a", keyK, created).success("a").send("a", cancelK, harness.Answer{Status: 201, RequestID: "r2"})
}

var cancelK = harness.Request{Operation: "cancel", Keys: []string{"k"}, BodySHA256: "b1"}

func TestReversalsThatWereAskedFor(t *testing.T) {
	both := map[string]int{"refund": 1, "release": 1}
	judgeAll(t, EffectsMatchSuccesses(All()),
		judged{"a cancelled checkout", afterCancel(both).effect("a", "refund").effect("a", "release"), harness.Pass},
		judged{"cancelled, and the money was kept", afterCancel(both).effect("a", "release"), harness.Fail},
		judged{"cancelled, and refunded twice", afterCancel(both).effect("a", "refund").effect("a", "refund").effect("a", "release"), harness.Fail},
		judged{"a refund that nobody asked for", newStory().send("a", keyK, created).success("a").effect("a", "refund"), harness.Fail},
		judged{"nobody says what it leaves", afterCancel(nil).effect("a", "refund"), harness.NotVerified},
	)
	judgeAll(t, AtMostOnce(All()),
		judged{"refunded once", afterCancel(both).effect("a", "refund"), harness.Pass},
		judged{"refunded twice", afterCancel(both).effect("a", "refund").effect("a", "void"), harness.Fail},
		judged{"charged twice and refunded twice", afterCancel(both).effect("a", "charge").effect("a", "refund").effect("a", "void"), harness.Fail},
	)
	judgeAll(t, NothingLeftBehind(All()),
		judged{"refunded and released", afterCancel(both).effect("a", "refund").effect("a", "release"), harness.Pass},
		judged{"released, and not refunded", afterCancel(both).effect("a", "release"), harness.Fail},
	)
}

func TestNoEffect(t *testing.T) {
	judgeAll(t, NoEffect(All()),
		judged{"refused and quiet", newStory().send("a", keyK, invalid), harness.Pass},
		judged{"refused, yet charged", newStory().send("a", keyK, invalid).effect("a", "charge"), harness.Fail},
		judged{"released again is not nothing", newStory().send("a", keyK, invalid).effect("a", "reservation").effect("a", "release"), harness.Fail},
	)
}

func TestOnlyOrder(t *testing.T) {
	undeclared := newStory().send("a", keyK, created)
	delete(undeclared.header.PerSuccess, "order")
	uncounted := func() *story {
		s := newStory().send("a", keyK, created).effect("a", "charge").effect("a", "reservation")
		delete(s.header.PerSuccess, "order")
		return s
	}
	judgeAll(t, OnlyOrder(All()),
		judged{"one order", newStory().send("a", keyK, created).success("a"), harness.Pass},
		judged{"two orders", newStory().send("a", keyK, created).success("a").effect("a", "order"), harness.Fail},
		judged{"no order", newStory().send("a", keyK, created).effect("a", "charge"), harness.Fail},
		judged{"no success", newStory().send("a", keyK, invalid), harness.Inconclusive},
		judged{"no orders in this ledger, nor what it counts", undeclared, harness.Fail},
		judged{"no orders in this ledger, but what it counts", uncounted(), harness.Pass},
	)
}

// TestEffectsProperty: whatever a history holds, a pass means that each kind
// appears exactly once per success, and adding one more effect never passes.
func TestEffectsProperty(t *testing.T) {
	kinds := []string{"charge", "reservation", "order"}
	rapid.Check(t, func(t *rapid.T) {
		s := newStory()
		keys := rapid.IntRange(1, 5).Draw(t, "keys")
		for i := range keys {
			r := harness.Request{Keys: []string{fmt.Sprint("k", i)}}
			s.send("a", r, created)
			for range rapid.IntRange(0, 3).Draw(t, "replays") {
				s.send("a", r, created)
			}
			s.success("a")
		}
		if v := EffectsMatchSuccesses(All())(s.history()); v.Outcome != harness.Pass {
			t.Fatalf("%d successes with their effects: %s %s", keys, v.Outcome, v.Reason)
		}
		extra := rapid.SampledFrom(kinds).Draw(t, "extra")
		s.effect("a", extra)
		for name, judge := range map[string]func(*harness.History) harness.Verdict{"match": EffectsMatchSuccesses(All()), "at most once": AtMostOnce(All())} {
			if v := judge(s.history()); v.Outcome != harness.Fail {
				t.Fatalf("%s: one %s too many is %s", name, extra, v.Outcome)
			}
		}
	})
}
