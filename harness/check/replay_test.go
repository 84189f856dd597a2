package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// repeated is a first answer and later ones to the same key.
func repeated(answers ...harness.Answer) *story {
	s := newStory()
	for _, a := range answers {
		s.send("a", keyK, a)
	}
	return s
}

func TestOriginalResponseReplayed(t *testing.T) {
	other := created
	other.BodySHA256 = "another"
	ok := created
	ok.Status = 200
	second := harness.Request{Keys: []string{"l"}}
	judgeAll(t, OriginalResponseReplayed(All(), 2),
		judged{"twice the same", repeated(created, created, created), harness.Pass},
		judged{"too few repeats", repeated(created, created), harness.Inconclusive},
		judged{"another body", repeated(created, created, other), harness.Fail},
		judged{"200 for 201", repeated(created, ok, ok), harness.Fail},
		judged{"in progress after the terminal answer", repeated(created, busy, created), harness.Fail},
		judged{"in progress before it", repeated(busy, created, created, created), harness.Pass},
		judged{"a decline is original too", repeated(declined, declined, declined), harness.Pass},
		judged{"success after a decline", repeated(declined, created, created), harness.Fail},
		judged{"never terminal", repeated(busy, busy, busy), harness.Inconclusive},
		judged{"a conflict with another body is no replay", repeated(created, created, created).send("a", keyKOther, conflict), harness.Pass},
		judged{"one key repeated for another", repeated(created, created, created, created, created).send("b", second, created), harness.Inconclusive},
		judged{"each key repeated", repeated(created, created, created).send("b", second, created).send("b", second, created).send("b", second, created), harness.Pass},
		judged{"one key never finished, another fails", newStory().send("b", second, busy).send("a", keyK, created).send("a", keyK, other), harness.Fail},
		judged{"a key in use before the run", repeated(created, created, created).send("b", second, conflict), harness.Pass},
		judged{"nothing at all", newStory(), harness.Inconclusive},
	)
}

func TestSameStatusReplayed(t *testing.T) {
	ok := created
	ok.Status, ok.BodySHA256 = 200, "another"
	other := created
	other.BodySHA256 = "another"
	judgeAll(t, SameStatusReplayed(All(), 1),
		judged{"the same", repeated(created, created), harness.Pass},
		judged{"the body is not its concern", repeated(created, other), harness.Pass},
		judged{"200 for 201", repeated(created, ok), harness.Fail},
	)
}

func TestSameOrderID(t *testing.T) {
	other, none := created, created
	other.OrderID, none.OrderID = "o2", ""
	judgeAll(t, SameOrderID(All(), 1),
		judged{"the same", repeated(created, created), harness.Pass},
		judged{"another", repeated(created, other), harness.Fail},
		judged{"none named", repeated(none, none), harness.NotVerified},
		judged{"named once only", repeated(created, none), harness.Fail},
		judged{"only one", repeated(created), harness.Inconclusive},
		judged{"two keys do not mix", repeated(created, created).send("a", harness.Request{Keys: []string{"l"}}, other).send("a", harness.Request{Keys: []string{"l"}}, other), harness.Pass},
	)
}

// unusing is a story of a target that calls one of its declared links elsewhere.
func unusing(s *story) *story {
	s.header.UnusedLinks = []string{"inventory"}
	return s
}

func TestNoCallsOnReplay(t *testing.T) {
	first := func() *story { return newStory().send("a", keyK, created).charge("a", "p", "", 201) }
	judgeAll(t, NoCallsOnReplay(All()),
		judged{"quiet", first().mark("a", MarkReplays).send("a", keyK, created), harness.Pass},
		judged{"a charge on replay", first().mark("a", MarkReplays).send("a", keyK, created).charge("a", "p", "", 201), harness.Fail},
		judged{"a query on replay", first().mark("a", MarkReplays).send("a", keyK, created).call("a", harness.Call{Link: "payment", Operation: "query", Method: "GET", Path: "/charges"}), harness.Fail},
		judged{"nothing was replayed", first().mark("a", MarkReplays), harness.Inconclusive},
		judged{"the links are not ours", newStory().send("a", keyK, created).mark("a", MarkReplays).send("a", keyK, created), harness.Inconclusive},
		judged{"never came to rest", first().send("a", keyK, created), harness.Inconclusive},
		judged{"a declared link that nobody uses", unusing(first()).mark("a", MarkReplays).send("a", keyK, created), harness.Inconclusive},
		judged{"a charge on replay beside an unused link", unusing(first()).mark("a", MarkReplays).send("a", keyK, created).charge("a", "p", "", 201), harness.Fail},
	)
}

func TestExecutesAndReplays(t *testing.T) {
	judgeAll(t, ExecutesAndReplays(All()),
		judged{"executed and replayed", repeated(created, created), harness.Pass},
		judged{"refused", repeated(invalid, invalid), harness.Fail},
		judged{"not replayed", repeated(created), harness.Inconclusive},
		judged{"replayed otherwise", repeated(created, harness.Answer{Status: 201, OrderID: "o2"}), harness.Fail},
		judged{"in use before the run", repeated(conflict), harness.Inconclusive},
		judged{"one in use, the next one works", newStory().send("a-1", keyK, conflict).send("a-2", harness.Request{Keys: []string{"l"}}, created).send("a-2", harness.Request{Keys: []string{"l"}}, created), harness.Pass},
		judged{"no answer", func() *story { s := newStory(); return s.lose(s.invoke("a", keyK)) }(), harness.Inconclusive},
	)
}

func TestDeclined(t *testing.T) {
	judgeAll(t, Declined(All()),
		judged{"declined", repeated(declined), harness.Pass},
		judged{"accepted: the profile names no decline", repeated(created), harness.Inconclusive},
		judged{"another refusal", repeated(invalid), harness.Fail},
	)
}
