package profile

import (
	"net/url"

	"github.com/oncecheck/oncecheck/harness"
)

// remoteLimits is what a target on another machine is asked to bear where its
// profile does not say: others may use it, and nobody measured it. The largest
// crowd of concurrent duplicates is let through.
func remoteLimits() harness.Limits {
	return harness.Limits{Rate: 20, Concurrency: 50, Requests: 5000}
}

// limits returns the load to keep to. On this machine there is none unless the
// profile sets one.
func (p *Profile) limits() harness.Limits {
	var l harness.Limits
	if u, err := url.Parse(p.Target.URL); err != nil || p.Target.URL != "" && !isLoopback(u.Hostname()) {
		l = remoteLimits()
	}
	if p.Limits == nil {
		return l
	}
	if p.Limits.Rate > 0 {
		l.Rate = float64(p.Limits.Rate)
	}
	if p.Limits.Concurrency > 0 {
		l.Concurrency = p.Limits.Concurrency
	}
	if p.Limits.Requests > 0 {
		l.Requests = p.Limits.Requests
	}
	return l
}
