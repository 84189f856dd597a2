package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
)

// webhookMutants take what the payment provider tells for something to be done.
func webhookMutants() []Mutant {
	needs := []string{needEffects, needDependencies, needWebhook}
	return []Mutant{{
		Name:   "webhook-completes",
		Breaks: "creates the order when the provider tells that it was paid, whoever is at work on the checkout",
		Kills:  []string{"SRS-CHK-001.56"},
		Needs:  needs,
		Wrap:   actsWhenTold(checkout.Orders, "/orders", unfinished),
	}, {
		Name:   "webhook-captures",
		Breaks: "takes the payment that the provider tells of, once for each webhook, also when all is over",
		Kills:  []string{"SRS-CHK-001.56"},
		Needs:  needs,
		Wrap:   actsWhenTold(checkout.Payment, "/charges", func(checkout.Record) bool { return true }),
	}, {
		Name:   "webhook-completes-parked",
		Breaks: "completes a checkout that waits for reconciliation when the provider tells of its payment, without a claim that would keep a second webhook off",
		Kills:  []string{"SRS-CHK-001.56"},
		Needs:  needs,
		Wrap: func(c *checkout.Config) {
			c.Store = &completing{acting: newActing(c, checkout.Orders, "/orders", parked), result: c.Result, retention: c.Policy.Retention}
		},
	}}
}

func unfinished(r checkout.Record) bool { return !r.State.Terminal() }

func parked(r checkout.Record) bool { return r.Lock == checkout.Parked }

// actsWhenTold makes a call of its own for each webhook about a record that is one
// of those.
func actsWhenTold(dependency, path string, of func(checkout.Record) bool) func(*checkout.Config) {
	return func(c *checkout.Config) { c.Store = newActing(c, dependency, path, of) }
}

// acting does, in place of waking somebody, what he would have done.
type acting struct {
	checkout.Store
	caller           *client.Client
	directory        *checkout.Directory
	dependency, path string
	of               func(checkout.Record) bool
}

func newActing(c *checkout.Config, dependency, path string, of func(checkout.Record) bool) *acting {
	return &acting{Store: c.Store, caller: client.New(c.Client), directory: c.Directory, dependency: dependency, path: path, of: of}
}

func (s *acting) Wake(ctx context.Context, paymentKey string, now time.Time) (checkout.Record, error) {
	r, err := s.Store.Wake(ctx, paymentKey, now)
	if err == nil && s.of(r) {
		_, _ = s.act(ctx, r, now)
	}
	return r, err
}

// act makes the call under a key that nobody else has.
func (s *acting) act(ctx context.Context, r checkout.Record, now time.Time) (made string, err error) {
	resp, err := s.caller.Do(ctx, client.Request{
		Method: http.MethodPost, URL: s.directory.URL(s.dependency) + s.path,
		Key: fmt.Sprintf("webhook-%s-%d", r.PaymentKey, now.UnixNano()), CorrelationID: r.CorrelationID,
		Body: fmt.Appendf(nil, `{"reference":%q,"amount":%d,"currency":%q,"token":%q}`, r.Order.CartID, r.Order.Amount, r.Order.Currency, r.Order.PaymentToken),
	})
	if err != nil {
		return "", err
	}
	var body struct {
		ID string `json:"id"`
	}
	return body.ID, json.Unmarshal(resp.Body, &body)
}

// completed is how long a success is in the making: so long that webhooks that come
// together always meet, and no caller notices.
const completed = 100 * time.Millisecond

// completing makes a success of the record for which it acted.
type completing struct {
	*acting
	result    func(checkout.Record, string) checkout.Answer
	retention time.Duration
}

func (s *completing) Wake(ctx context.Context, paymentKey string, now time.Time) (checkout.Record, error) {
	r, err := s.Store.Wake(ctx, paymentKey, now)
	if err != nil || !s.of(r) {
		return r, err
	}
	order, err := s.act(ctx, r, now)
	if err != nil {
		return r, err
	}
	rest(ctx, completed)
	r.ChargeID, r.OrderID, r.State, r.Code, r.Lock = "ch_told", order, checkout.Succeeded, "", checkout.Released
	r.LeaseUntil, r.DueAt, r.TerminalAt, r.ExpiresAt = time.Time{}, time.Time{}, now, now.Add(s.retention)
	r.Response = s.result(r, "")
	return r, s.Save(ctx, r)
}
