package profile

import (
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// maintenance returns the declared windows, which were validated.
func (t TargetSpec) maintenance() []harness.Maintenance {
	var windows []harness.Maintenance
	for _, m := range t.Maintenance {
		from, to, err := m.times()
		if err == nil {
			windows = append(windows, harness.Maintenance{From: from, To: to, Why: m.Why})
		}
	}
	return windows
}

func (m MaintenanceSpec) times() (from, to time.Time, err error) {
	if from, err = time.Parse(time.RFC3339, m.From); err != nil {
		return from, to, err
	}
	to, err = time.Parse(time.RFC3339, m.To)
	return from, to, err
}

// longestMaintenance keeps a declaration from excusing everything: nobody plans
// to be away for longer.
const longestMaintenance = 7 * 24 * time.Hour

func (t TargetSpec) validateMaintenance(src *source) {
	const at = "target.maintenance"
	for _, m := range t.Maintenance {
		from, to, err := m.times()
		switch {
		case err != nil:
			src.wrong(at, "needs from and to as RFC 3339 times, for example 2026-11-30T02:00:00Z")
		case !to.After(from) || to.Sub(from) > longestMaintenance:
			src.wrong(at, "has to end after it begins, within seven days")
		case m.Why == "":
			src.wrong(at, "needs why: what is left out of an availability is listed with its reason")
		}
	}
}
