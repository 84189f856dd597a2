package harness

import (
	"context"
	"errors"
	"fmt"
)

// webhookClaims is the one about the provider's webhook.
func (s *Session) webhookClaims(wanted func(Capability) bool) []claim {
	if !wanted(CapWebhook) {
		return nil
	}
	return []claim{{string(CapWebhook), "webhooks.payment", s.tryWebhook}}
}

// tryWebhook tells the target of a payment that was made and is over: whatever it
// does about webhooks, it has to take this one.
func (s *Session) tryWebhook(ctx context.Context, c *Case) (string, error) {
	if problem := s.tryCheckout(ctx, c, s.DefaultPrincipal()); problem != "" {
		return "", errors.New("the checkout that it was to be about: " + problem)
	}
	kind, err := s.paymentKind()
	if err != nil {
		return "", err
	}
	payment, err := s.Booked(ctx, c, kind)
	if err != nil {
		return "", err
	}
	told, err := s.Notify(ctx, c, payment, 1)
	if err != nil {
		return "", err
	}
	status := told.Answers[0].Status
	if status < 200 || status > 299 {
		return "", fmt.Errorf("a webhook about a payment that was made was answered %d; the path, the body and the signature have to be the provider's", status)
	}
	made := fmt.Sprintf("a webhook about a payment that was made was answered %d", status)
	told, err = s.Notify(ctx, s.Case(c.Label+"-nobody"), s.Unmade(payment), 1)
	if err != nil {
		return "", fmt.Errorf("one about a payment that nobody made: %w", err)
	}
	if told.Answers[0].Status == status {
		return made + ", and so was one about a payment that nobody made: nothing shows that the target knew the first; look at webhooks.payment.body", nil
	}
	return fmt.Sprintf("%s, and one about a payment that nobody made %d", made, told.Answers[0].Status), nil
}

// paymentKind returns the kind of entry by which the ledger shows a payment.
func (s *Session) paymentKind() (string, error) {
	for _, kind := range []string{"charge", "authorization"} {
		if s.target.Info.PerSuccess[kind] > 0 {
			return kind, nil
		}
	}
	return "", errors.New("the ledger shows neither a charge nor an authorization that it could be about (effects.perSuccess)")
}
