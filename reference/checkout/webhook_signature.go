package checkout

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// minWebhookSecret is what Standard Webhooks asks of a secret, in bytes. The
// library takes any, also an empty one, with which anybody could sign.
const minWebhookSecret = 24

// Webhooks tells which webhooks are the payment provider's. The zero value knows
// none.
type Webhooks struct {
	verifier *standardwebhooks.Webhook
}

// NewWebhooks knows the provider by the secret that it signs with: base64, with or
// without whsec_ before it.
func NewWebhooks(secret string) (*Webhooks, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return nil, errors.New("read the secret of the payment provider's webhooks: it is no base64; take it from the provider as it is, with or without whsec_ before it")
	}
	if len(key) < minWebhookSecret {
		return nil, fmt.Errorf("read the secret of the payment provider's webhooks: it has %d bytes, and fewer than %d can be guessed; let the provider make a new one", len(key), minWebhookSecret)
	}
	verifier, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, fmt.Errorf("read the secret of the payment provider's webhooks: %w", err)
	}
	return &Webhooks{verifier}, nil
}

// verify returns nil for a webhook of the provider's. The signature is over the
// bytes as they came.
func (k *Webhooks) verify(body []byte, header http.Header) error {
	if k.verifier == nil {
		return errors.New("no secret is known")
	}
	return k.verifier.Verify(body, header)
}

// unsigned refuses a webhook that proves nothing, and names the reason in words
// that are ours: the library's error quotes headers, which anybody may have
// written. One that is too old may be one that somebody has recorded.
func unsigned(why error, id string) (answer Answer, reason string) {
	reason, message := "no signature matches", "the webhook is not signed by the payment provider"
	switch {
	case errors.Is(why, standardwebhooks.ErrMessageTooOld):
		reason, message = "too old", "the webhook was signed too long ago, or in the future"
	case errors.Is(why, standardwebhooks.ErrMessageTooNew):
		reason, message = "too new", "the webhook was signed too long ago, or in the future"
	case errors.Is(why, standardwebhooks.ErrRequiredHeaders):
		reason, message = "headers are missing", "a webhook needs "+standardwebhooks.HeaderWebhookID+", "+standardwebhooks.HeaderWebhookTimestamp+" and "+standardwebhooks.HeaderWebhookSignature
	case errors.Is(why, standardwebhooks.ErrInvalidHeaders):
		reason = "a header cannot be read"
	}
	return respond(http.StatusUnauthorized, failure{CodeUnauthenticated, message, id, false, ""}, "WWW-Authenticate", "Webhook-Signature"), reason
}
