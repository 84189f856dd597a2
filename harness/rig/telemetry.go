package rig

import (
	"crypto/tls"
	"net/http"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/telemetry"
)

// openTelemetry opens what the target tells of its inside.
func openTelemetry(p *profile.Profile, trust *tls.Config) harness.Observer {
	var o harness.Observer
	if p.Observe == nil {
		return o
	}
	if p.Observe.Metrics != "" {
		transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: trust.Clone()}
		o.Metrics = telemetry.NewMetrics(&http.Client{Transport: transport}, p.Observe.Metrics, p.Observe.Names)
	}
	if p.Observe.Logs != nil {
		o.Logs = telemetry.NewLogs(p.File(p.Observe.Logs.File))
	}
	return o
}
