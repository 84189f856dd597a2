package mutants

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
)

// outcomeMutants forget, or make up, what became of a request.
func outcomeMutants() []Mutant {
	return []Mutant{{
		Name:   "replay-asks-provider",
		Breaks: "answers a replay by what the payment provider says now",
		Kills:  []string{"SRS-CHK-001.28", "SRS-CHK-001.32"},
		Needs:  []string{needDependencies},
		Wrap:   replayAsksProvider,
	}, {
		Name:   "decline-not-stored",
		Breaks: "keeps answers of successes only, and tries a declined payment again",
		Kills:  []string{"SRS-CHK-001.28", "SRS-CHK-001.33"},
		Needs:  []string{needDependencies},
		Wrap: wrapReserve(again(func(stored checkout.Record) bool {
			return stored.State == checkout.FailedFinal && stored.Code == checkout.CodeDeclined
		})),
	}, {
		Name:   "replay-tells-current-state",
		Breaks: "makes a replay of what its tables say now, so that a checkout that was cancelled is told otherwise",
		Kills:  []string{"SRS-CHK-001.30", "SRS-CHK-003.12"},
		Needs:  []string{needEffects, needStatus, needSecondOperation},
		Wrap: func(c *checkout.Config) {
			store := c.Store
			wrapReplay(func(ctx context.Context, r checkout.Record, a checkout.Answer) checkout.Answer {
				if _, err := store.Cancellation(ctx, r.RequestID); err == nil {
					a.Body = bytes.Replace(a.Body, []byte(`"SUCCEEDED"`), []byte(`"CANCELLED"`), 1)
				}
				return a
			})(c)
		},
	}, {
		Name:   "replay-without-location",
		Breaks: "replays status and body, and no header",
		Kills:  []string{"SRS-CHK-001.31"},
		Wrap: wrapReplay(func(_ context.Context, _ checkout.Record, a checkout.Answer) checkout.Answer {
			a.Header = http.Header{"Content-Type": a.Header["Content-Type"]}
			return a
		}),
	}, {
		Name:   "replay-with-every-header",
		Breaks: "replays every header of the first answer, its date among them",
		Kills:  []string{"SRS-CHK-001.31"},
		Wrap: wrapReplay(func(_ context.Context, r checkout.Record, a checkout.Answer) checkout.Answer {
			a.Header = a.Header.Clone()
			a.Header.Set("Date", r.TerminalAt.UTC().Format(http.TimeFormat))
			return a
		}),
	}, {
		Name:   "large-answer-not-stored",
		Breaks: "stores no answer of more than a mebibyte, and its key neither",
		Kills:  []string{"SRS-CHK-001.53"},
		Needs:  []string{needEffects, needLargeAnswer},
		Wrap:   wrapReserve(again(func(stored checkout.Record) bool { return len(stored.Response.Body) > 1<<20 })),
	}, {
		Name:   "empty-success",
		Breaks: "answers a success with nothing but its request id",
		Kills:  []string{"SRS-CHK-001.41"},
		Wrap: func(c *checkout.Config) {
			right := c.Result
			c.Result = func(r checkout.Record, receipt string) checkout.Answer {
				a := right(r, receipt)
				a.Body = fmt.Appendf(nil, "{\"requestId\":%q}\n", r.RequestID)
				return a
			}
		},
	}, {
		Name:   "captured-twice",
		Breaks: "takes the payment when it is asked for, and once more when the provider reports it",
		Kills:  []string{"SRS-CHK-001.26", "SRS-CHK-001.32", "SRS-CHK-001.56"},
		Needs:  []string{needEffects},
		Wrap:   capturedTwice,
	}}
}

// again runs a request anew where the record of its key is one of those.
func again(of func(stored checkout.Record) bool) func(reservation) reservation {
	return func(right reservation) reservation {
		return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
			stored, created, err := right(ctx, r)
			if err == nil && !created && stored.Fingerprint == r.Fingerprint && of(stored) {
				return right(ctx, elsewhere(r))
			}
			return stored, created, err
		}
	}
}

func replayAsksProvider(c *checkout.Config) {
	caller, directory, key := client.New(c.Client), c.Directory, c.ProviderKey
	wrapReplay(func(ctx context.Context, r checkout.Record, a checkout.Answer) checkout.Answer {
		if r.Cancels != "" {
			return a
		}
		resp, err := caller.Do(ctx, client.Request{Method: http.MethodGet, CorrelationID: r.CorrelationID,
			URL: directory.URL(checkout.Payment) + "/charges?key=" + url.QueryEscape(key(r, "charge"))})
		if err == nil && resp.Status == http.StatusPaymentRequired {
			a.Status = http.StatusPaymentRequired
			a.Body = fmt.Appendf(nil, `{"code":%q,"message":"the payment was declined","correlationId":%q,"retryable":false}`, checkout.CodeDeclined, r.CorrelationID)
		}
		return a
	})(c)
}

// reported is after how long the provider reports a payment: so late that the
// positive control, which would have none of it, is over.
const reported = 2 * time.Second

// capturedTwice charges once more under a key of its own when a checkout has
// succeeded for a moment, as a handler of the provider's webhook would that does
// not look whether the request did it.
func capturedTwice(c *checkout.Config) {
	right, caller, directory := c.Result, client.New(c.Client), c.Directory
	c.Result = func(r checkout.Record, receipt string) checkout.Answer {
		if r.Cancels == "" {
			time.AfterFunc(reported, func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				body := fmt.Appendf(nil, `{"reference":%q,"amount":%d,"currency":%q,"token":"tok_webhook"}`, r.Order.CartID, r.Order.Amount, r.Order.Currency)
				_, _ = caller.Do(ctx, client.Request{Method: http.MethodPost, URL: directory.URL(checkout.Payment) + "/charges",
					Key: "webhook-" + r.RequestID, CorrelationID: r.CorrelationID, Body: body})
			})
		}
		return right(r, receipt)
	}
}
