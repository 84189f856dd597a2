package mutants

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// redactionMutants keep or tell what a payment is made with.
func redactionMutants() []Mutant {
	return []Mutant{{
		Name:   "refused-body-logged",
		Breaks: "logs the body of a request that it refuses",
		Kills:  []string{"SRS-CHK-SEC.04"},
		Needs:  []string{needFields, needLogs, needDependencies},
		Wrap: func(c *checkout.Config) {
			right, log := c.Decode, c.Log
			c.Decode = func(body []byte) (checkout.Order, error) {
				order, err := right(body)
				if err != nil {
					log.Warn("a request was refused", "why", err, "body", string(body))
				}
				return order, err
			}
		},
	}, {
		Name:   "token-logged",
		Breaks: "logs the payment token of a request that was declined",
		Kills:  []string{"SRS-CHK-SEC.04"},
		Needs:  []string{needFields, needLogs, needDependencies},
		Wrap: wrapSave(func(c *checkout.Config, r *checkout.Record) {
			if r.State == checkout.FailedFinal {
				c.Log.Info("declined", "correlationId", r.CorrelationID, "order", r.Order)
			}
		}),
	}, {
		Name:   "raw-body-stored",
		Breaks: "stores every body as it came, to compare it with those of later requests",
		Kills:  []string{"SRS-CHK-SEC.03"},
		Needs:  []string{needFields, needStorage},
		Wrap:   rawBodyStored,
	}}
}

// rawBodyStored keeps bodies before anybody has looked at what is in them.
func rawBodyStored(c *checkout.Config) {
	store, now := c.Store, c.Now
	wrapAuthenticate(func(r *http.Request, p auth.Principal, err error) (auth.Principal, error) {
		if err != nil || r.Method != http.MethodPost || r.Body == nil {
			return p, err
		}
		text, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10))
		r.Body = body{io.MultiReader(bytes.NewReader(text), r.Body), r.Body.Close}
		id := rand.Text()
		_, _, _ = store.Reserve(context.WithoutCancel(r.Context()), checkout.Record{
			RequestID: id, Scope: checkout.Scope{Tenant: p.Tenant, Principal: p.Subject, Operation: "raw", Version: "v1", Key: id},
			Fingerprint: string(text), State: checkout.Succeeded, Lock: checkout.Released, CreatedAt: now(), UpdatedAt: now(),
		})
		return p, err
	})(c)
}
