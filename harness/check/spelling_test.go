package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestLiterally(t *testing.T) {
	first := func() *story { return newStory().send("a", keyK, created) }
	in422 := harness.Answer{Status: 422, Code: "IDEMPOTENCY_CONFLICT"}
	otherwise := func(s *story) *story {
		s.header.Dialect.Mismatch.Statuses = []int{422}
		return s
	}
	judgeAll(t, Literally(MismatchSpelling, MismatchRefused(All())),
		judged{"by the clause's wording", first().send("a", keyKOther, conflict), harness.Pass},
		judged{"as the dialect spells it", otherwise(first().send("a", keyKOther, in422)), harness.NotApplicable},
		judged{"a failure in any spelling", otherwise(first().send("a", keyKOther, created)), harness.Fail},
	)
}

func TestSpellings(t *testing.T) {
	d := newStory().header.Dialect
	for name, departs := range map[string]Spelling{"mismatch": MismatchSpelling, "in progress": InProgressSpelling, "malformed": MalformedSpelling, "missing": MissingSpelling} {
		if how := departs(d); how != "" {
			t.Errorf("%s: the requirement departs from itself: %s", name, how)
		}
	}
	d.Mismatch.Code, d.InProgress.Statuses, d.Malformed.Statuses, d.Missing.Statuses = "x", []int{425}, []int{404}, []int{400, 428}
	for name, departs := range map[string]Spelling{"mismatch": MismatchSpelling, "in progress": InProgressSpelling, "malformed": MalformedSpelling, "missing": MissingSpelling} {
		if departs(d) == "" {
			t.Errorf("%s: not noticed", name)
		}
	}
}

func declared(s *story, least, most int, requirements string) *story {
	s.header.Dialect.KeyMin, s.header.Dialect.KeyMax, s.header.Requirements = least, most, requirements
	return s
}

func TestTakesKeysAsRequired(t *testing.T) {
	judgeAll(t, TakesKeysAsRequired(ExecutesAndReplays(All())),
		judged{"the requirement's", repeated(created, created), harness.Pass},
		judged{"UUIDs only", declared(repeated(created, created), 36, 36, "srs"), harness.Fail},
		judged{"UUIDs only, judged by themselves", declared(repeated(created, created), 36, 36, "own"), harness.Pass},
		judged{"longer ones too", declared(repeated(created, created), 1, 255, "srs"), harness.Pass},
		judged{"what fails anyway", declared(repeated(invalid, invalid), 36, 36, "srs"), harness.Fail},
	)
}

func TestRefusesKeysAsRequired(t *testing.T) {
	refused := func() *story { return newStory().send("a", keys(""), invalid) }
	judgeAll(t, RefusesKeysAsRequired(Malformed(All())),
		judged{"the requirement's", refused(), harness.Pass},
		judged{"fewer", declared(refused(), 36, 36, "srs"), harness.Pass},
		judged{"longer ones", declared(refused(), 1, 255, "srs"), harness.Fail},
		judged{"longer ones, judged by themselves", declared(refused(), 1, 255, "own"), harness.Pass},
	)
}
