package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// redactionPathMutants tell what a payment is made with on one path only.
func redactionPathMutants() []Mutant {
	told := func(name, breaks string, wrap func(*checkout.Config), further ...string) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{"SRS-CHK-SEC.04"}, Needs: append([]string{needFields, needLogs, needDependencies}, further...), Wrap: wrap}
	}
	return []Mutant{
		told("unreadable-body-logged", "logs a body in which it cannot find the members that it would leave out", func(c *checkout.Config) {
			right, log := c.Decode, c.Log
			c.Decode = func(body []byte) (checkout.Order, error) {
				if !json.Valid(body) {
					log.Warn("a body cannot be read", "body", string(body))
				}
				return right(body)
			}
		}),
		told("anonymous-body-logged", "logs the body of a request that comes without credentials", logBody(func(_ *http.Request, refused error) bool { return refused != nil })),
		told("keyless-body-logged", "logs the body of a request without a key", logBody(func(r *http.Request, refused error) bool {
			return refused == nil && r.Header.Values(checkout.KeyHeader) == nil
		})),
		told("overlong-key-body-logged", "logs the body of a request whose key it refuses", logBody(func(r *http.Request, refused error) bool {
			_, wrong := checkout.ReadKey(r.Header)
			return refused == nil && wrong != nil && r.Header.Values(checkout.KeyHeader) != nil
		})),
		told("open-token-logged", "logs the payment token of a checkout that it leaves open", wrapSave(func(c *checkout.Config, r *checkout.Record) {
			if r.Lock == checkout.Parked {
				c.Log.Info("left open", "correlationId", r.CorrelationID, "order", r.Order)
			}
		})),
		told("repeated-token-logged", "logs the payment token of a request that comes again while it is worked on", func(c *checkout.Config) {
			right, log := c.Busy, c.Log
			c.Busy = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				log.Info("repeated", "correlationId", id, "order", r.Order)
				return right(ctx, r, id)
			}
		}),
		told("unstored-token-logged", "logs the payment token of a request that it could not store", func(c *checkout.Config) {
			log := c.Log
			wrapReserve(func(right reservation) reservation {
				return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
					stored, created, err := right(ctx, r)
					if err != nil {
						log.Error("cannot store a request", "correlationId", r.CorrelationID, "order", r.Order, "error", err)
					}
					return stored, created, err
				}
			})(c)
		}, needStoreLink),
	}
}

// logBody logs the bodies of the requests that it is about; refused is why a
// request is nobody's.
func logBody(about func(r *http.Request, refused error) bool) func(*checkout.Config) {
	return func(c *checkout.Config) {
		log := c.Log
		wrapAuthenticate(func(r *http.Request, p auth.Principal, err error) (auth.Principal, error) {
			if r.Method != http.MethodPost || r.Body == nil || !about(r, err) {
				return p, err
			}
			text, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10))
			r.Body = body{io.MultiReader(bytes.NewReader(text), r.Body), r.Body.Close}
			log.Warn("a request was refused", "body", struct{ Text string }{string(text)}) // the log looks into texts only
			return p, err
		})(c)
	}
}
