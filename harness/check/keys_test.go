package check

import (
	"fmt"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// bought is an answer of its own.
func boughtAs(n int) harness.Answer {
	return harness.Answer{Status: 201, OrderID: fmt.Sprint("o", n), RequestID: fmt.Sprint("r", n), JSON: true}
}

func TestEachKeyItsOwn(t *testing.T) {
	twice := func(s *story, c, key string, a harness.Answer) *story {
		return s.send(c, keys(key), a).send(c, keys(key), a)
	}
	judgeAll(t, EachKeyItsOwn(All()),
		judged{"two keys, two orders", twice(twice(newStory(), "a", "k", boughtAs(1)), "b", "K", boughtAs(2)), harness.Pass},
		judged{"one key to the target, which replays", twice(twice(newStory(), "a", "k", boughtAs(1)), "b", "K", boughtAs(1)), harness.Fail},
		judged{"one key to the target, which refuses", twice(twice(newStory(), "a", "k", boughtAs(1)), "b", "K", conflict), harness.Fail},
		judged{"a key that is not taken", twice(twice(newStory(), "a", "k", boughtAs(1)), "b", "K", invalid), harness.Fail},
		judged{"a key that is not replayed", twice(newStory(), "a", "k", boughtAs(1)).send("b", keys("K"), boughtAs(2)).send("b", keys("K"), boughtAs(3)), harness.Fail},
		judged{"a key that is not repeated", twice(newStory(), "a", "k", boughtAs(1)).send("b", keys("K"), boughtAs(2)), harness.Inconclusive},
		judged{"one key alone", twice(newStory(), "a", "k", boughtAs(1)), harness.Inconclusive},
		judged{"one key in two cases", twice(twice(newStory(), "a", "k", boughtAs(1)), "b", "k", boughtAs(2)), harness.Inconclusive},
		judged{"no answer", func() *story {
			s := twice(newStory(), "a", "k", boughtAs(1))
			return s.lose(s.invoke("b", keys("K")))
		}(), harness.Inconclusive},
	)
}

func TestAnySpelling(t *testing.T) {
	as := func(name string) harness.Request {
		r := keyK
		r.KeyName = name
		return r
	}
	all := func(last harness.Answer) *story {
		s := newStory().send("a", as("Idempotency-Key"), created).send("a", as("idempotency-key"), created).send("a", as("IDEMPOTENCY-KEY"), last)
		s.header.Dialect.Header = RequiredKeyHeader
		return s
	}
	judgeAll(t, AnySpelling(All(), 3),
		judged{"three spellings", all(created), harness.Pass},
		judged{"one of them is another key", all(boughtAs(2)), harness.Fail},
		judged{"one of them is no key", all(invalid), harness.Fail},
		judged{"one spelling", newStory().send("a", keyK, created).send("a", keyK, created).send("a", keyK, created), harness.Inconclusive},
	)
	if HeaderSpelling(harness.Dialect{Header: "idempotency-KEY"}) != "" || HeaderSpelling(harness.Dialect{Header: "X-Idempotency-Key"}) == "" {
		t.Error("the header is Idempotency-Key in any case of letters, and no other")
	}
}

// TestWhereOffered: what the profile does not have is not verified, and a failure
// of what it has stays one.
func TestWhereOffered(t *testing.T) {
	judgeAll(t, WhereOffered("refused", []string{"a", "b"}, Malformed(All())),
		judged{"all", newStory().send("a", keys(""), invalid).send("b", keys("\x01"), invalid), harness.Pass},
		judged{"one is missing", newStory().send("a", keys(""), invalid), harness.NotVerified},
		judged{"one is missing, another fails", newStory().send("a", keys(""), created), harness.Fail},
	)
}

func TestWhereTried(t *testing.T) {
	judgeAll(t, WhereTried([]string{"a", "b"}, Malformed(All())),
		judged{"all", newStory().send("a", keys(""), invalid).send("b", keys("\x01"), invalid), harness.Pass},
		judged{"one is missing", newStory().send("a", keys(""), invalid), harness.Inconclusive},
		judged{"one has no answer", func() *story {
			s := newStory().send("a", keys(""), invalid)
			s.invoke("b", keyK)
			return s
		}(), harness.Inconclusive},
		judged{"a failure is one, whatever is missing", newStory().send("a", keys(""), created), harness.Fail},
	)
}

func TestKeyDialectsThatExclude(t *testing.T) {
	for name, excluded := range map[string]string{
		"blank is none":          BlankIsNone(harness.Dialect{Missing: harness.MissingKey{Execute: true}, Malformed: harness.Refusal{Statuses: []int{400}}}),
		"the first line counts":  FirstLineCounts(harness.Dialect{DuplicateHeader: "first", Malformed: harness.Refusal{Statuses: []int{400}}}),
		"no status for either":   BlankIsNone(harness.Dialect{}),
		"and none for two lines": FirstLineCounts(harness.Dialect{}),
		"expired keys run":       ExpiredRuns(harness.Dialect{Expired: "new"}),
		"or may":                 ExpiredRuns(harness.Dialect{Expired: "either"}),
		"refusals are kept":      ValidationConsumes(harness.Dialect{ValidationConsumesKey: true}),
		"errors of another form": ErrorSpelling(harness.Dialect{ErrorFormat: "problem"}),
	} {
		if excluded == "" {
			t.Errorf("%s: not excluded", name)
		}
	}
	srs := harness.Dialect{Malformed: harness.Refusal{Statuses: []int{400}}, DuplicateHeader: "reject", Expired: "reject", ErrorFormat: "srs"}
	if BlankIsNone(srs)+FirstLineCounts(srs)+ExpiredRuns(srs)+ValidationConsumes(srs)+ErrorSpelling(srs) != "" {
		t.Error("the requirements' own dialect is excluded")
	}
}

func TestOnEveryOperation(t *testing.T) {
	cancel := harness.Request{Operation: "cancel"}
	withKey := harness.Request{Operation: "cancel", Keys: []string{"k2"}}
	full := func(refusal, success harness.Answer) *story {
		s := newStory().send("keyless-checkout", harness.Request{}, invalid).send("keyed-checkout", keyK, created).
			send("keyless-cancel", cancel, refusal).send("keyed-cancel", withKey, success)
		s.header.Operations = []harness.KeyedOperation{{Name: "cancel"}}
		return s
	}
	alone := newStory().send("keyless-checkout", harness.Request{}, invalid).send("keyed-checkout", keyK, created)
	untried := newStory().send("keyless-checkout", harness.Request{}, invalid).send("keyed-checkout", keyK, created)
	untried.header.Operations = []harness.KeyedOperation{{Name: "cancel"}}
	keyless := Labelled("keyless-")
	judgeAll(t, OnEveryOperation(MissingKey(keyless), keyless, Labelled("keyed-")),
		judged{"refused everywhere", full(invalid, created), harness.Pass},
		judged{"one runs without a key", full(created, created), harness.Fail},
		judged{"one never works", full(invalid, notFound), harness.Inconclusive},
		judged{"one is not tried", untried, harness.Inconclusive},
		judged{"there is only the checkout", alone, harness.Inconclusive},
	)
}

func TestKeyProtects(t *testing.T) {
	judgeAll(t, KeyProtects(All(), 2),
		judged{"protects", newStory().send("a", keyK, created).send("a", keyK, created).send("a", keyK, created), harness.Pass},
		judged{"runs again", newStory().send("a", keyK, created).send("a", keyK, boughtAs(2)).send("a", keyK, boughtAs(2)), harness.Fail},
		judged{"one repeat", newStory().send("a", keyK, created).send("a", keyK, created), harness.Inconclusive},
		judged{"no success", newStory().send("a", keyK, invalid).send("a", keyK, invalid).send("a", keyK, invalid), harness.Inconclusive},
	)
}
