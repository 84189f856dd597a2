package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestReplayedOrRefused(t *testing.T) {
	began := func() *story { return newStory().send("a", keyK, created) }
	unserved := harness.Answer{Status: 415}
	judgeAll(t, ReplayedOrRefused(All()),
		judged{"replayed", began().send("a", keyK, created), harness.Pass},
		judged{"one replayed, one refused", began().send("a", keyK, created).send("b", keys("other"), boughtAs(2)).send("b", keys("other"), unserved), harness.Pass},
		judged{"taken for another request", began().send("a", keyK, conflict), harness.Fail},
		judged{"run anew", began().send("a", keyK, boughtAs(2)), harness.Fail},
		judged{"refused only", began().send("a", keyK, unserved), harness.NotApplicable},
		judged{"not repeated", began(), harness.Inconclusive},
		judged{"never succeeded", newStory().send("a", keyK, invalid).send("a", keyK, invalid), harness.Inconclusive},
	)
}
