package check

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func keys(lines ...string) harness.Request { return harness.Request{Keys: lines, BodySHA256: "b1"} }

func TestMalformed(t *testing.T) {
	long := keys(strings.Repeat("x", 129))
	judgeAll(t, Malformed(All()),
		judged{"refused", newStory().send("a", long, invalid), harness.Pass},
		judged{"refused with 422", newStory().send("a", long, harness.Answer{Status: 422}), harness.Pass},
		judged{"accepted", newStory().send("a", long, created), harness.Fail},
		judged{"500", newStory().send("a", keys(""), harness.Answer{Status: 500}), harness.Fail},
		judged{"409 is another refusal", newStory().send("a", keys(" "), conflict), harness.Fail},
		judged{"two lines accepted", newStory().send("a", keys("k", "k"), created), harness.Fail},
		judged{"refused, but a provider was called", func() *story {
			s := newStory()
			op := s.invoke("a", keys("k\x7f"))
			return s.charge("a", "p", "", 201).answer(op, invalid)
		}(), harness.Fail},
		judged{"a good key is not its concern", newStory().send("a", keyK, created), harness.Inconclusive},
		judged{"no answer", func() *story { s := newStory(); return s.lose(s.invoke("a", long)) }(), harness.Inconclusive},
	)
}

func TestGoodKeyExecutes(t *testing.T) {
	judgeAll(t, GoodKeyExecutes(All()),
		judged{"executes", newStory().send("a", keys(""), invalid).send("a", keyK, created), harness.Pass},
		judged{"still refused", newStory().send("a", keys(""), invalid).send("a", keyK, invalid), harness.Fail},
		judged{"never tried", newStory().send("a", keys(""), invalid), harness.Inconclusive},
		judged{"tried in one case only", newStory().send("a", keys(""), invalid).send("a", keyK, created).send("b", keys(""), invalid), harness.Inconclusive},
	)
}

func TestMissingKey(t *testing.T) {
	lenient := newStory().send("a", harness.Request{}, created)
	lenient.header.Dialect.Missing.Execute = true
	judgeAll(t, MissingKey(All()),
		judged{"refused", newStory().send("a", harness.Request{}, invalid), harness.Pass},
		judged{"executed", newStory().send("a", harness.Request{}, created), harness.Fail},
		judged{"another code", newStory().send("a", harness.Request{}, harness.Answer{Status: 400, Code: "BAD_REQUEST"}), harness.Fail},
		judged{"a key was sent after all", newStory().send("a", keyK, invalid), harness.Inconclusive},
		judged{"a dialect that executes", lenient, harness.NotApplicable},
	)
}

func TestMismatchRefused(t *testing.T) {
	first := func() *story { return newStory().send("a", keyK, created) }
	replaying := first().send("a", keyKOther, created)
	replaying.header.Dialect.Mismatch.Mode = "replay"
	judgeAll(t, MismatchRefused(All()),
		judged{"refused", first().send("a", keyKOther, conflict), harness.Pass},
		judged{"replayed", first().send("a", keyKOther, created), harness.Fail},
		judged{"told in progress", first().send("a", keyKOther, busy), harness.Fail},
		judged{"refused, but a provider was called", func() *story {
			s := first()
			op := s.invoke("a", keyKOther)
			return s.charge("a", "p2", "", 201).answer(op, conflict)
		}(), harness.Fail},
		judged{"the same body twice", first().send("a", keyK, created), harness.Inconclusive},
		judged{"one case without another body", first().send("a", keyKOther, conflict).send("b", keyK, created), harness.Inconclusive},
		judged{"a dialect that replays", replaying, harness.NotApplicable},
	)
}

// besideBob is a wait of alice's own, and one while bob is under way.
func besideBob(second harness.Answer) *story {
	s := newStory().send("a", keyK, unavailable503)
	bobs := s.invoke("a", harness.Request{Keys: []string{"k"}, Principal: "bob"})
	return s.send("a", keyK, busy).answer(bobs, second).send("a", keyK, created)
}

func TestScopesIndependent(t *testing.T) {
	bob := harness.Request{Keys: []string{"k"}, Principal: "bob"}
	second := harness.Answer{Status: 201, OrderID: "o2", RequestID: "r2"}
	judgeAll(t, ScopesIndependent(All(), 2),
		judged{"own orders", newStory().send("a", keyK, created).send("a", bob, second).send("a", keyK, created), harness.Pass},
		judged{"the other's order", newStory().send("a", keyK, created).send("a", bob, created), harness.Fail},
		judged{"the other's request id", newStory().send("a", keyK, created).send("a", bob, harness.Answer{Status: 201, OrderID: "o2", RequestID: "r1"}), harness.Fail},
		judged{"blocked by the other", newStory().send("a", keyK, created).send("a", bob, conflict), harness.Fail},
		judged{"nameless successes", newStory().send("a", keyK, harness.Answer{Status: 201}).send("a", bob, harness.Answer{Status: 201}), harness.Fail},
		judged{"one scope only", newStory().send("a", keyK, created), harness.Inconclusive},
		judged{"came back by itself", newStory().send("a", keyK, unavailable503).send("a", bob, second).send("a", keyK, busy).send("a", keyK, created), harness.Pass},
		judged{"in progress by itself", newStory().send("a", keyK, busy).send("a", bob, second).send("a", keyK, created), harness.Pass},
		judged{"came back for nothing", newStory().send("a", keyK, unavailable503).send("a", bob, second).send("a", keyK, unavailable503), harness.Fail},
		judged{"in conflict with the other after a wait of its own", newStory().send("a", keyK, unavailable503).send("a", bob, second).send("a", keyK, conflict).send("a", keyK, created), harness.Fail},
		judged{"refused the key after a success", newStory().send("a", keyK, busy).send("a", bob, second).send("a", keyK, created).send("a", keyK, conflict), harness.Fail},
		judged{"declined after a wait of its own", newStory().send("a", keyK, busy).send("a", bob, second).send("a", keyK, declined).send("a", keyK, created), harness.Fail},
		judged{"not found after a wait of its own", newStory().send("a", keyK, busy).send("a", bob, second).send("a", keyK, notFound).send("a", keyK, created), harness.Fail},
		judged{"busy while the other was under way", besideBob(second), harness.Fail},
		judged{"busy at last", newStory().send("a", keyK, unavailable503).send("a", bob, second).send("a", keyK, created).send("a", keyK, busy), harness.Fail},
		judged{"told to come back after the other", newStory().send("a", keyK, created).send("a", bob, unavailable503).send("a", bob, second), harness.Inconclusive},
		judged{"told to come back after the other, and never let in", newStory().send("a", keyK, created).send("a", bob, unavailable503), harness.Fail},
		judged{"told to come back, and in conflict", newStory().send("a", keyK, created).send("a", bob, unavailable503).send("a", bob, conflict).send("a", bob, second), harness.Fail},
	)
}
