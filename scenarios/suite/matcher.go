package suite

import (
	"fmt"

	"github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// Conform succeeds for a [door.Result] that passed. What failed or stayed
// inconclusive does not conform, and the message says all that is needed to
// mend it.
func Conform() gomega.OmegaMatcher { return conform{} }

type conform struct{}

func (conform) Match(actual any) (bool, error) {
	r, err := asResult(actual)
	return err == nil && r.Verdict == harness.Pass, err
}

func (conform) FailureMessage(actual any) string {
	r, err := asResult(actual)
	if err != nil {
		return err.Error()
	}
	return r.Text()
}

func (conform) NegatedFailureMessage(actual any) string {
	r, err := asResult(actual)
	if err != nil {
		return err.Error()
	}
	return "it passed, and should not have:\n" + r.Text()
}

func asResult(actual any) (door.Result, error) {
	r, ok := actual.(door.Result)
	if !ok {
		return door.Result{}, fmt.Errorf("Conform matches a door.Result, not a %T", actual)
	}
	return r, nil
}
