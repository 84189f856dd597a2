package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestToldApart(t *testing.T) {
	began := func() *story { return newStory().send("a", keyK, created) }
	careless := began().send("a", keyKOther, created)
	careless.header.Dialect.Fingerprint = "none"
	judgeAll(t, ToldApart(All()),
		judged{"another request", began().send("a", keyKOther, conflict), harness.Pass},
		judged{"replayed", began().send("a", keyKOther, created), harness.Fail},
		judged{"run anew", began().send("a", keyKOther, boughtAs(2)), harness.Fail},
		judged{"wrong in itself", began().send("a", keyKOther, invalid), harness.NotApplicable},
		judged{"nothing to alter", began(), harness.NotApplicable},
		judged{"never succeeded", newStory().send("a", keyK, invalid).send("a", keyKOther, invalid), harness.Inconclusive},
		judged{"a dialect that compares no bodies", careless, harness.NotApplicable},
		judged{"nothing was sent", newStory(), harness.Inconclusive},
	)
}
