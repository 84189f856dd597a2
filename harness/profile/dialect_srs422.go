package profile

import "github.com/oncecheck/oncecheck/harness"

// srs422 is the variant in which a used key with another fingerprint is a
// semantic error rather than a conflict: 409 then means in progress only.
func srs422() harness.Dialect {
	d := srs()
	d.Name = "srs-422"
	d.Mismatch.Statuses = []int{422}
	return d
}
