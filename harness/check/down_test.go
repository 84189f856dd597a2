package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// stray is a dependency call that belongs to no case.
func (s *story) stray() *story {
	s.charge("x", "p", "", 201)
	s.events[len(s.events)-1].Case = ""
	return s
}

func TestARefusedRequestCallsNothingLaterEither(t *testing.T) {
	refusedThen := func(then func(*story)) *story {
		s := newStory().send("a", keys(""), invalid)
		then(s)
		return s
	}
	judgeAll(t, Malformed(All()),
		judged{"a call behind the answer", refusedThen(func(s *story) { s.charge("a", "p", "", 201) }), harness.Fail},
		judged{"the call of the next attempt", refusedThen(func(s *story) {
			op := s.invoke("a", keyK)
			s.charge("a", "p", "", 201).answer(op, created)
		}), harness.Pass},
		judged{"a call of another case", refusedThen(func(s *story) { s.charge("b", "p", "", 201) }), harness.Pass},
		judged{"a call that belongs to nobody", refusedThen(func(s *story) { s.stray() }), harness.Inconclusive},
	)
}

func TestAHeldRequestMayGoOn(t *testing.T) {
	// held sends the first request, holds its charge, sends another body, and adds
	// what happens before and after the release.
	held := func(before, after func(*story)) *story {
		s := newStory()
		first := s.invoke("a", keyK)
		s.charge("a", "p", "", 0).mark("a", MarkHeld).send("a", keyKOther, conflict)
		before(s)
		s.mark("a", MarkReleased)
		after(s)
		return s.answer(first, created)
	}
	nothing := func(*story) {}
	judgeAll(t, MismatchRefused(All()),
		judged{"released and finished", held(nothing, func(s *story) { s.call("a", harness.Call{Link: "orders", Operation: "create", Key: "o"}) }), harness.Pass},
		judged{"the held call is retried under its key", held(func(s *story) { s.charge("a", "p", "", 201) }, nothing), harness.Pass},
		judged{"another charge before the release", held(func(s *story) { s.charge("a", "q", "", 201) }, nothing), harness.Fail},
		judged{"a charge without a key before the release", held(func(s *story) { s.charge("a", "", "", 201) }, nothing), harness.Fail},
	)
}

func TestNoCallsOnReplayIsNotFooled(t *testing.T) {
	replayed := newStory().send("a", keyK, created).charge("a", "p", "", 201).mark("a", MarkReplays).send("a", keyK, created)
	judgeAll(t, NoCallsOnReplay(All()), judged{"by a call that belongs to nobody", replayed.stray(), harness.Inconclusive})
}

func TestRetriedExactlyCountsToTheEnd(t *testing.T) {
	s := newStory().plan("a", before)
	op := s.invoke("a", keyK)
	s.charge("a", "p", before, 0).charge("a", "p", "", 201).answer(op, created)
	judgeAll(t, RetriedExactly(All()), judged{"one call too many behind the answer", s.charge("a", "p", "", 201), harness.Fail})
}

func TestNothingLeftBehind(t *testing.T) {
	judgeAll(t, NothingLeftBehind(All()),
		judged{"a success and its effects", newStory().send("a", keyK, created).success("a"), harness.Pass},
		judged{"a success without effects is another matter", newStory().send("a", keyK, created), harness.Pass},
		judged{"refused, yet charged", newStory().send("a", keyK, invalid).effect("a", "charge"), harness.Fail},
		judged{"refused, charged and voided", newStory().send("a", keyK, invalid).effect("a", "charge").effect("a", "void"), harness.Fail},
		judged{"declined, reserved and released", newStory().send("a", keyK, declined).effect("a", "reservation").effect("a", "release"), harness.Pass},
		judged{"declined, yet reserved", newStory().send("a", keyK, declined).effect("a", "reservation"), harness.Fail},
	)
}

func TestEachSucceeded(t *testing.T) {
	judgeAll(t, EachSucceeded(All(), OriginalResponseReplayed(All(), 1)),
		judged{"a success, replayed", repeated(created, created), harness.Pass},
		judged{"a refusal, repeated", repeated(invalid, invalid), harness.Inconclusive},
		judged{"a failure stays one", repeated(created, harness.Answer{Status: 200}), harness.Fail},
	)
}

func TestOrderIDsAreTheLedgers(t *testing.T) {
	named := func(id string) *story {
		s := newStory().send("a", keyK, created).success("a")
		s.header.OrderIDs = true
		for i := range s.events {
			if e := s.events[i].Effect; e != nil && e.Kind == "order" {
				e.ID = id
			}
		}
		return s
	}
	judgeAll(t, OnlyOrder(All()),
		judged{"the order of the answer", named("o1"), harness.Pass},
		judged{"another order", named("o2"), harness.Fail},
	)
}

func TestDerivedProviderKeys(t *testing.T) {
	const key = "1a7f57ee-82a3-86bb-9457-0fbf698fae8d"
	d := derivations(map[string]bool{key: true, "k": true})
	for provider, derived := range map[string]bool{
		key:                                    true,
		"charge:" + key:                        true,
		"1A7F57EE-82A3-86BB-9457-0FBF698FAE8D": true,
		"1a7f57ee82a386bb94570fbf698fae8d":     true,
		"MWE3ZjU3ZWUtODJhMy04NmJiLTk0NTctMGZiZjY5OGZhZThk":                         true, // base64
		"31613766353765652d383261332d383662622d393435372d306662663639386661653864": true, // hex
		"js8yE3dJS7nv5MQTM1GKkk0pwZI3VgtQ":                                         false,
		"pk":                                                                       false,
	} {
		if how := d.from(provider); (how != "") != derived {
			t.Errorf("%s: %q", provider, how)
		}
	}
	for text := range d {
		if d.from("x-"+text) == "" {
			t.Errorf("%s is not found inside a longer key", text)
		}
	}
}

func TestFirstAnswered(t *testing.T) {
	after := func(first, other harness.Answer) *story {
		return newStory().send("a", keyK, first).send("a", keyKOther, other)
	}
	judgeAll(t, FirstAnswered(All(), MismatchRefused(All()), harness.ClassPending),
		judged{"another body refused while open", after(accepted202, conflict), harness.Pass},
		judged{"another body carried out while open", after(accepted202, created), harness.Fail},
		judged{"it was never open", after(created, conflict), harness.NotApplicable},
		judged{"it failed instead", after(unavailable, created), harness.NotApplicable},
		judged{"nothing was sent", newStory(), harness.Inconclusive},
	)
}
