package guard

import "testing"

// TestConformTriesAClient: the door for clients is as hard to please as the one
// for targets.
func TestConformTriesAClient(t *testing.T) {
	binary := build(t, "conform")

	t.Run("a subtest that passes is green", func(t *testing.T) {
		expectGreen(t, binary, "-bare", "-test.run=TestClient/client/success-with-retry-after")
	})
	t.Run("every subtest lacks a capability", func(t *testing.T) {
		expectRed(t, []string{"nothing was proven", "the profile does not offer: tls-trust"},
			binary, "-bare", "-test.v", "-test.run=TestClient/client/certificate")
	})
	t.Run("a scenario that fails", func(t *testing.T) {
		expectRed(t, []string{"expected", "observed", "repeat    oncecheck client --seed 1 --url SHIM --only 'client/retried-statuses"},
			binary, "-bare", "-test.run=TestClient/client/retried-statuses")
	})
}
