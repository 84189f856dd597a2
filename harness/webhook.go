package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// CapWebhook lets us tell the target what its payment provider tells it by itself.
const CapWebhook Capability = "webhook"

// OpWebhook is the name of a provider's webhook among the operations of the target.
// It is none of a caller's requests: it has no key and no principal, and what it
// was answered is a call on the client link and nothing more.
const OpWebhook = "webhook"

// MarkWebhook says that a webhook about a payment was sent; count.copies of it.
const MarkWebhook = "webhook-sent"

// Booked waits until the ledger holds an entry of that kind for the case, and
// returns it: what a provider tells in its webhook, it has done before.
func (s *Session) Booked(ctx context.Context, c *Case, kind string) (Effect, error) {
	if s.target.Probe == nil {
		return Effect{}, errors.New("see the payment that a webhook is about: the profile does not offer it; declare effects")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, bookedLimit, fmt.Errorf("there is none after %s", bookedLimit))
	defer cancel()
	for {
		effects, err := s.effects(ctx)
		if err != nil {
			return Effect{}, fmt.Errorf("look for the %s of case %s in the ledger: %w", kind, c.Label, err)
		}
		if i := slices.IndexFunc(effects, func(e AttributedEffect) bool { return e.Case == c.ID && e.Effect.Kind == kind }); i >= 0 {
			return effects[i].Effect, nil
		}
		if err := s.Watch(ctx, bookedTick); err != nil {
			return Effect{}, fmt.Errorf("wait for the %s of case %s in the ledger: %w", kind, c.Label, err)
		}
	}
}

const (
	bookedLimit = 2 * time.Second
	bookedTick  = 20 * time.Millisecond
)

// Notice is a webhook that was sent, and what each copy of it was answered.
type Notice struct {
	Answers []Answer
	webhook Attempt
}

// Notify tells the target what its provider would about a payment that was made,
// so many times at once: one webhook, and copies of it, as providers send them.
// Judges find the answers on the client link. An error says that one got none.
func (s *Session) Notify(ctx context.Context, c *Case, payment Effect, copies int) (Notice, error) {
	if !s.target.Info.offers(CapWebhook) {
		return Notice{}, errors.New("send the webhook of a payment provider: the profile does not offer it; declare webhooks.payment")
	}
	a := Attempt{Operation: OpWebhook, Keys: []string{}, CaseID: c.ID, RunID: s.run.id, Number: 1, Vars: map[string]any{
		"cart": c.Cart, "amount": c.Amount, "reference": c.Cart, "correlationId": c.CorrelationID,
		"outcome": "succeeded",
		"eventId": "evt_" + s.unique("webhook", fmt.Sprintf("%s %d", c.Label, c.told())), "time": time.Now().UTC().Format(time.RFC3339),
	}}
	for _, name := range []struct{ open, value, member, instead string }{
		{"providerKey", payment.Key, "key", "paymentId"}, {"paymentId", payment.ID, "id", "providerKey"},
	} {
		if name.value != "" {
			a.Vars[name.open] = name.value
		} else if slices.Contains(s.target.Info.Webhook, name.open) {
			return Notice{}, fmt.Errorf("send a webhook: the ledger shows no %s for a %s; let effects return %s, or name the payment by {{%s}} or {{reference}}", name.member, payment.Kind, name.member, name.instead)
		}
	}
	answers, err := s.tell(ctx, c, a, "the provider tells that "+payment.Kind+" "+short(payment.ID)+" succeeded", copies)
	return Notice{answers, a}, err
}

// tell sends copies of a webhook at once.
func (s *Session) tell(ctx context.Context, c *Case, a Attempt, what string, copies int) ([]Answer, error) {
	admitted, free, err := s.admit(ctx, copies, c.busy())
	if err != nil {
		return nil, fmt.Errorf("send a webhook: %w", err)
	}
	defer free()
	if err := s.mayCall(c, ""); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(admitted, s.patience(), fmt.Errorf("no answer within %s", s.patience()))
	defer cancel()
	s.Note(c, MarkWebhook, what, map[string]int64{"copies": int64(copies)})
	answers, errs := s.deliver(limited, c, a, copies)
	if err := joinDistinct(errs); err != nil {
		return answers, fmt.Errorf("send a webhook: %w", err)
	}
	return answers, nil
}

// deliver sends copies that a barrier releases together, and that wait for each
// other at the target's door.
func (s *Session) deliver(ctx context.Context, c *Case, a Attempt, copies int) ([]Answer, []error) {
	answers, errs := make([]Answer, copies), make([]error, copies)
	var ready, sending sync.WaitGroup
	release := make(chan struct{})
	if copies > 1 {
		if s.target.Meet != nil {
			s.target.Meet(c.ID, copies)
		}
		ready.Add(copies)
	}
	for i := range copies {
		mine, once := a, sync.OnceFunc(ready.Done)
		if copies > 1 {
			mine.Ready, mine.Release = once, release
		}
		sending.Go(func() {
			_, answers[i], errs[i] = s.target.Sender.Send(ctx, mine)
			if copies > 1 {
				once() // one that failed early keeps nobody waiting
			}
		})
	}
	ready.Wait()
	close(release)
	sending.Wait()
	return answers, errs
}

// told numbers the webhooks of a case.
func (c *Case) told() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.webhooks++
	return c.webhooks
}
