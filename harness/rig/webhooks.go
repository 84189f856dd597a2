package rig

import (
	"fmt"
	"maps"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/caller"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/webhook"
)

// signing adds their signatures to the webhooks that render makes.
func signing(p *profile.Profile, render func(harness.Attempt) (caller.Rendered, error)) (func(harness.Attempt) (caller.Rendered, error), error) {
	if p.Webhooks == nil || p.Webhooks.Payment == nil || p.Webhooks.Payment.Signature == nil {
		return render, nil
	}
	sign, err := webhook.Standard(p.Webhooks.Payment.Signature.Secret)
	if err != nil {
		return nil, fmt.Errorf("webhooks.payment.signature: %w", err)
	}
	return func(a harness.Attempt) (caller.Rendered, error) {
		rendered, err := render(a)
		if err != nil || a.Operation != harness.OpWebhook {
			return rendered, err
		}
		headers, err := sign(fmt.Sprint(a.Vars["eventId"]), time.Now(), rendered.Body)
		if err != nil {
			return rendered, err
		}
		maps.Copy(rendered.Header, headers)
		return rendered, nil
	}, nil
}
