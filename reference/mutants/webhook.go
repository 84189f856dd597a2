package mutants

import (
	"context"
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
	}}
}

func unfinished(r checkout.Record) bool { return !r.State.Terminal() }

// actsWhenTold makes a call of its own for each webhook about a record that is one
// of those.
func actsWhenTold(dependency, path string, of func(checkout.Record) bool) func(*checkout.Config) {
	return func(c *checkout.Config) {
		c.Store = &acting{Store: c.Store, caller: client.New(c.Client), directory: c.Directory, dependency: dependency, path: path, of: of}
	}
}

// acting does, in place of waking somebody, what he would have done.
type acting struct {
	checkout.Store
	caller           *client.Client
	directory        *checkout.Directory
	dependency, path string
	of               func(checkout.Record) bool
}

func (s *acting) Wake(ctx context.Context, paymentKey string, now time.Time) (checkout.Record, error) {
	r, err := s.Store.Wake(ctx, paymentKey, now)
	if err != nil || !s.of(r) {
		return r, err
	}
	_, _ = s.caller.Do(ctx, client.Request{
		Method: http.MethodPost, URL: s.directory.URL(s.dependency) + s.path,
		Key: fmt.Sprintf("webhook-%s-%d", paymentKey, now.UnixNano()), CorrelationID: r.CorrelationID,
		Body: fmt.Appendf(nil, `{"reference":%q,"amount":%d,"currency":%q,"token":%q}`, r.Order.CartID, r.Order.Amount, r.Order.Currency, r.Order.PaymentToken),
	})
	return r, nil
}
