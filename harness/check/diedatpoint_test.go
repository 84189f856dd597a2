package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestDiedAtPoint(t *testing.T) {
	crashed := func(mark bool, effects int) *story {
		s := newStory()
		s.lose(s.invoke("a", keyK))
		if mark {
			s.mark("a", harness.MarkCrashed)
		}
		s.send("a", keyKFinal, created)
		for range effects {
			s.success("a")
		}
		return s
	}
	judgeAll(t, DiedAtPoint(All(), EffectsMatchSuccesses(All())),
		judged{"once, after the crash", crashed(true, 1), harness.Pass},
		judged{"twice, after the crash", crashed(true, 2), harness.Fail},
		judged{"nobody died", crashed(false, 1), harness.Inconclusive},
	)
}
