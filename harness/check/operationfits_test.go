package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestOperationsThatFit(t *testing.T) {
	refers := func(_ harness.Header, o harness.KeyedOperation) bool { return o.Refers }
	with := func(operations ...harness.KeyedOperation) *story {
		s := newStory().send("a", keyK, created).success("a")
		s.header.Operations = operations
		return s
	}
	cancel, refund := harness.KeyedOperation{Name: "cancel", Refers: true, Effects: map[string]int{"refund": 1}}, harness.KeyedOperation{Name: "pay"}
	judgeAll(t, WithOperation(refers, "names a checkout", EffectsMatchSuccesses(All())),
		judged{"one fits", with(cancel, refund), harness.Pass},
		judged{"none fits", with(refund), harness.NotApplicable},
	)
	judgeAll(t, WhereDeclared(EffectsMatchSuccesses(All())),
		judged{"all declared", with(cancel), harness.Pass},
		judged{"one not declared", with(cancel, refund), harness.NotApplicable},
	)
}
