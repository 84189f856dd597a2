package rig

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness/probe"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// Compile reads the jq expressions of a profile, without reaching anything: one
// that is no jq is an error of the profile, to be told before something is sent.
func Compile(p *profile.Profile) error {
	if _, err := responses(p); err != nil {
		return err
	}
	if p.Effects == nil || p.Effects.HTTP == nil {
		return nil
	}
	if _, err := probe.HTTP(oneShot(nil), p.Effects.HTTP.URL, p.Effects.HTTP.Header, p.Effects.HTTP.JQ); err != nil {
		return fmt.Errorf("effects.http.jq: %w; correct it in the profile", err)
	}
	return nil
}
