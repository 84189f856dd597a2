package profile

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Webhooks are what the systems that the target calls tell it by themselves. The
// run sends them in their place: it knows when they matter.
type Webhooks struct {
	Payment *Webhook `yaml:"payment" jsonschema_description:"How the payment provider tells that a payment was made: while the request is waiting for its answer, twice, or after it has ended."`
}

// Webhook is how such a message looks, and how it is signed.
type Webhook struct {
	Operation `yaml:",inline"`
	Signature *Signature `yaml:"signature" jsonschema_description:"How it is proven who sent it. Leave it out where a header does that, or nothing."`
}

// Signature is over the bytes of a message.
type Signature struct {
	Scheme string `yaml:"scheme" jsonschema:"required,enum=standard-webhooks" jsonschema_description:"standard-webhooks: the headers webhook-id, webhook-timestamp and webhook-signature."`
	Secret string `yaml:"secret" jsonschema:"required" jsonschema_description:"Base64, with or without whsec_ before it; from the environment, as in ${WEBHOOK_SECRET}."`
}

// SchemeStandardWebhooks is the one way to sign that the suite knows.
const SchemeStandardWebhooks = "standard-webhooks"

// webhook returns the payment provider's webhook, nil without one.
func (p *Profile) webhook() *Webhook {
	if p.Webhooks == nil {
		return nil
	}
	return p.Webhooks.Payment
}

func (w *Webhook) complete() {
	if w != nil && w.Method == "" {
		w.Method = http.MethodPost
	}
}

func (p *Profile) validateWebhooks(src *source) {
	const at = "webhooks.payment"
	w := p.webhook()
	if w == nil {
		if _, given := src.at["webhooks"]; given {
			src.wrong("webhooks", "needs payment, how the payment provider tells of a payment")
		}
		return
	}
	naming := fillable("providerKey", "paymentId")
	p.operation(src, at, w.Operation, append(slices.Clone(naming), "outcome", "eventId", "time"))
	if !slices.ContainsFunc(w.names(), func(name string) bool { return slices.Contains(naming, name) }) {
		src.wrong(at, "names no payment, so that the target could not know whose it is; put {{providerKey}}, {{paymentId}} or {{reference}} where the provider does")
	}
	for _, unused := range []string{"variants", "version", "principal", "keyed", "fields", "effects", "response"} {
		if _, given := src.at[at+"."+unused]; given {
			src.wrong(at+"."+unused, "has no use here: a webhook is sent by the provider, as it is, and only its status is looked at")
		}
	}
	if w.Signature == nil {
		return
	}
	src.oneOf(at+".signature.scheme", w.Signature.Scheme, []string{SchemeStandardWebhooks})
	if key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(w.Signature.Secret, "whsec_")); err != nil || len(key) == 0 {
		src.wrong(at+".signature.secret", "must be base64, with or without whsec_ before it, as Standard Webhooks has it")
	}
}
