package check

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestRecognised: what a target does about a payment that it did not find in the
// webhook shows nothing.
func TestRecognised(t *testing.T) {
	nobody := func(s *story, statuses ...int) *story {
		for i, status := range statuses {
			s.link("nobody", harness.OpWebhook, status, 50+i, 51+i)
		}
		return s
	}
	judge := Recognised(Labelled("nobody"), Told(OneOfEach(All()), ToldAtWork(Labelled("at-work"), 1)))
	judgeAll(t, judge,
		judged{"nobody's is not found", nobody(sold(200), 404).repeated("at-work"), harness.Pass},
		judged{"nobody's is taken in other words", nobody(sold(202), 200).repeated("at-work"), harness.Pass},
		judged{"nobody's is taken alike", nobody(sold(200), 200).repeated("at-work"), harness.NotVerified},
		judged{"nobody's is taken alike, when it is told again", nobody(sold(200), 503, 200).repeated("at-work"), harness.NotVerified},
		judged{"some are taken alike", nobody(sold(200, 202), 200).repeated("at-work"), harness.Pass},
		judged{"only a refused one was answered otherwise", nobody(sold(200, 409), 200).repeated("at-work"), harness.NotVerified},
		judged{"nobody's is taken alike, and one is charged again", nobody(sold(200), 200).repeated("at-work").effect("at-work", "charge"), harness.Fail},
		judged{"nobody's got no answer", nobody(sold(200), 0).repeated("at-work"), harness.Inconclusive},
		judged{"nobody's was not sent", sold(200).repeated("at-work"), harness.Inconclusive},
		judged{"nothing was taken", nobody(sold(), 404).repeated("at-work"), harness.Inconclusive},
	)
	if v := judge(nobody(sold(200), 200).repeated("at-work").history()); !strings.Contains(v.Reason, "alike (200)") || !strings.Contains(v.Reason, "webhooks.payment.body") {
		t.Errorf("it says %q", v.Reason)
	}
}
