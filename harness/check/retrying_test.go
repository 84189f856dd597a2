package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestRetrying(t *testing.T) {
	never := func(s *story) *story { s.header.Policy.Client.Retries = 0; return s }
	judgeAll(t, Retrying(SameBody(All())),
		judged{"it declares retries and made none", called(1, time.Second, unavailable), harness.Inconclusive},
		judged{"it declares none and made none", never(called(1, time.Second, unavailable)), harness.NotApplicable},
		judged{"it declares none, and nobody called it", never(newStory()), harness.Inconclusive},
	)
	judgeAll(t, Retrying(Sends(All(), 1, 1)), judged{"it declares none and is wrong in them", never(called(2, time.Second, unavailable)), harness.Fail})
}
