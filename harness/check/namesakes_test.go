package check

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestAmongNamesakes(t *testing.T) {
	judge := AmongNamesakes(ScopesIndependent(All(), 2))
	asAlice := harness.Request{Keys: []string{"k"}, Principal: "alice", Tenant: "t1", BodySHA256: "b1"}
	asCarol := harness.Request{Keys: []string{"k"}, Principal: "carol", Tenant: "t2", BodySHA256: "b1"}
	other := harness.Answer{Status: 201, OrderID: "o2", RequestID: "r2", JSON: true}
	both := func(namesakes ...harness.Principal) *story {
		s := newStory()
		s.header.Namesakes = namesakes
		return s.send("a", asAlice, created).send("a", asCarol, other)
	}
	judgeAll(t, judge,
		judged{"one name in two tenants", both(harness.Principal{Name: "carol", SameNameAs: "alice"}), harness.Pass},
		judged{"two names", both(), harness.Pass},
		judged{"one order for both", newStory().send("a", asAlice, created).send("a", asCarol, created), harness.Fail},
	)
	for name, row := range map[string]struct {
		story *story
		hint  bool
	}{
		"carol has alice's name":       {both(harness.Principal{Name: "carol", SameNameAs: "alice"}), false},
		"said of alice":                {both(harness.Principal{Name: "alice", SameNameAs: "carol"}), false},
		"nobody says so":               {both(), true},
		"somebody else has it":         {both(harness.Principal{Name: "dave", SameNameAs: "alice"}), true},
		"a failure needs no hint":      {newStory().send("a", asAlice, created).send("a", asCarol, created), false},
		"nothing was sent, no verdict": {newStory(), false},
	} {
		v := judge(row.story.history())
		if (v.Hint != nil) != row.hint {
			t.Errorf("%s: hint %+v", name, v.Hint)
		}
		if v.Hint != nil && (v.Hint.About != "principals.carol.sameNameAs" || !strings.Contains(v.Hint.Next, "sameNameAs: alice")) {
			t.Errorf("%s: %+v", name, *v.Hint)
		}
	}
}
