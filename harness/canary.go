package harness

import "maps"

// Canary is the name of a text that is unique to the run and that nobody may
// repeat: whoever finds it where it was not sent has found a leak. In everything
// that a run writes its marker stands for it, ⟦canary:key⟧.
type Canary string

// The canaries, by where they are sent.
const (
	CanaryHeader   Canary = "header"   // credentials in a header line
	CanaryKey      Canary = "key"      // an idempotency key
	CanaryBody     Canary = "body"     // what a request says
	CanaryURL      Canary = "url"      // and where it goes
	CanaryUpstream Canary = "upstream" // what a dependency says in its errors
)

// Marker is what stands for the canary in a history.
func (c Canary) Marker() string { return "⟦canary:" + string(c) + "⟧" }

// AnyCanary begins every marker.
const AnyCanary = "⟦canary:"

// Canary returns the canary's text in this run. It is shaped as a UUID, which
// every field takes.
func (s *Session) Canary(c Canary) string { return canaryOf(s.run.id, c) }

func canaryOf(runID string, c Canary) string {
	return uuidOf(runID + "\x00canary\x00" + string(c))
}

// withCanaries returns the secrets of the target and the canaries of a run.
func withCanaries(secrets map[string]string, runID string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, secrets)
	for _, c := range []Canary{CanaryHeader, CanaryKey, CanaryBody, CanaryURL, CanaryUpstream} {
		all[string(c)] = canaryOf(runID, c)
	}
	return all
}
