// Package webhook signs the webhooks that a run sends in a provider's place.
//
// Its user writes down in the profile how the provider signs, and with what: a
// target that checks signatures takes such a webhook for the provider's, as it has
// to, since what comes of a webhook is what is tried.
package webhook

import (
	"fmt"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Sign returns the headers that prove who sends a body, and when.
type Sign func(id string, at time.Time, body []byte) (map[string]string, error)

// Standard returns a Sign as Standard Webhooks describes it: an HMAC-SHA256 over
// id, timestamp and body. The secret is base64, with or without whsec_ before it.
func Standard(secret string) (Sign, error) {
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, fmt.Errorf("read the secret of webhooks: %w; it has to be base64, with or without whsec_ before it", err)
	}
	return func(id string, at time.Time, body []byte) (map[string]string, error) {
		signature, err := signer.Sign(id, at, body)
		if err != nil {
			return nil, fmt.Errorf("sign the webhook %s: %w", id, err)
		}
		return map[string]string{
			standardwebhooks.HeaderWebhookID:        id,
			standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(at.Unix(), 10),
			standardwebhooks.HeaderWebhookSignature: signature,
		}, nil
	}, nil
}
