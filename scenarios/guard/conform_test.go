package guard

import "testing"

func TestConformCannotBeGreenForNothing(t *testing.T) {
	binary := build(t, "conform")
	shop := open(t, newShop())

	t.Run("a subtest that passes is green", func(t *testing.T) {
		expectGreen(t, binary, "-profile="+shop, "-test.run=TestTarget/idempotency/key-missing")
	})
	t.Run("a pattern that matches nothing", func(t *testing.T) {
		expectRed(t, []string{"nothing was proven"}, binary, "-profile="+shop, "-test.run=TestTarget/no-such-scenario")
	})
	t.Run("every subtest lacks a capability", func(t *testing.T) {
		expectRed(t, []string{"nothing was proven", "the profile does not offer: "},
			binary, "-profile="+shop, "-test.v", "-test.run=TestTarget/retry")
	})
	t.Run("the positive control fails", func(t *testing.T) {
		expectRed(t, []string{"positive control", "no scenario is believed"},
			binary, "-profile="+open(t, mute()), "-test.run=TestTarget")
	})
	t.Run("an effect without a cause shows in the run as a whole only", func(t *testing.T) {
		expectRed(t, []string{"no scenario failed by itself", "every-effect-has-a-cause"},
			binary, "-profile="+open(t, straying()), "-test.run=TestTarget/idempotency/key-length")
	})
	t.Run("a scenario that fails", func(t *testing.T) {
		expectRed(t, []string{"expected", "observed", "seed      1", "repeat    oncecheck run --seed 1 --profile"},
			binary, "-profile="+open(t, cutting()), "-test.run=TestTarget/idempotency/key-overlong")
	})
}
