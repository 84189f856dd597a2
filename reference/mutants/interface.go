package mutants

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// interfaceMutants depart from the form of answers, calls and records.
func interfaceMutants() []Mutant {
	return []Mutant{{
		Name:   "answer-without-attempt-count",
		Breaks: "does not tell how many attempts a checkout took",
		Kills:  []string{"SRS-CHK-IF.01"},
		Wrap: rewritten(func(r *http.Request, a checkout.Answer) bool {
			return r.Method == http.MethodPost && a.Status < http.StatusBadRequest
		},
			func(_ *http.Request, body map[string]any) { delete(body, "attemptCount") }),
	}, {
		Name:   "private-error-code",
		Breaks: "answers with a code of its own for what does not exist",
		Kills:  []string{"SRS-CHK-IF.02"},
		Wrap: rewritten(func(_ *http.Request, a checkout.Answer) bool { return a.Status == http.StatusNotFound },
			func(_ *http.Request, body map[string]any) { body["code"] = "CHECKOUT_UNKNOWN" }),
	}, {
		Name:   "html-error-page",
		Breaks: "answers with a page for people where there is nothing",
		Kills:  []string{"SRS-CHK-IF.02", "SRS-CHK-IF.03"},
		Wrap: func(c *checkout.Config) {
			right := c.NotFound
			c.NotFound = func(requestID, id string) checkout.Answer {
				a := right(requestID, id)
				a.Header.Set("Content-Type", "text/html")
				a.Body = []byte("<html><body><h1>404 Not Found</h1></body></html>")
				return a
			}
		},
	}, {
		Name:   "retryable-as-text",
		Breaks: "writes retryable as a text",
		Kills:  []string{"SRS-CHK-IF.03"},
		Wrap: rewritten(func(_ *http.Request, a checkout.Answer) bool { return a.Status == http.StatusUnauthorized },
			func(_ *http.Request, body map[string]any) { body["retryable"] = "false" }),
	}, {
		Name:   "one-error-code",
		Breaks: "has one code for whatever it does not finish",
		Kills:  []string{"SRS-CHK-IF.08"},
		Needs:  []string{needDependencies, needStoreLink},
		Wrap: rewritten(func(_ *http.Request, a checkout.Answer) bool { return a.Status == http.StatusAccepted },
			func(_ *http.Request, body map[string]any) { body["code"] = checkout.CodeUnavailable }),
	}, {
		Name:   "refusal-as-outage",
		Breaks: "says of a request that it refuses that it is not available",
		Kills:  []string{"SRS-CHK-IF.08"},
		Needs:  []string{needDependencies, needStoreLink},
		Wrap: rewritten(func(_ *http.Request, a checkout.Answer) bool { return a.Status == http.StatusBadRequest },
			func(_ *http.Request, body map[string]any) { body["code"] = checkout.CodeUnavailable }),
	}, {
		Name:   "store-down-is-pending",
		Breaks: "says of a request that it could not write down that it is being worked on",
		Kills:  []string{"SRS-CHK-IF.08"},
		Needs:  []string{needDependencies, needStoreLink},
		Wrap: rewritten(func(_ *http.Request, a checkout.Answer) bool { return a.Status == http.StatusServiceUnavailable },
			func(_ *http.Request, body map[string]any) {
				if body["requestId"] == nil {
					body["code"] = checkout.CodePending
				}
			}),
	}, {
		Name:   "correlation-of-the-last",
		Breaks: "keeps the correlation id of the request that came last, and sends it with every call",
		Kills:  []string{"SRS-CHK-IF.04"},
		Needs:  []string{needDependencies, needLogs},
		Wrap:   lastCorrelation,
	}, {
		Name:   "audit-without-correlation",
		Breaks: "does not write the correlation id into the records of changes",
		Kills:  []string{"SRS-CHK-IF.04"},
		Needs:  []string{needDependencies, needLogs},
		Wrap:   func(c *checkout.Config) { c.Log = slog.New(audited{c.Log.Handler(), uncorrelated}) },
	}, {
		Name:   "record-without-expiry",
		Breaks: "stores no time at which a record expires",
		Kills:  []string{"SRS-CHK-IF.05"},
		Needs:  []string{needStorage, needStoredRecord, needDecline},
		Wrap:   wrapSave(func(_ *checkout.Config, r *checkout.Record) { r.ExpiresAt = time.Time{} }),
	}, {
		Name:   "expires-early",
		Breaks: "stores an expiry a minute before the retention is over",
		Kills:  []string{"SRS-CHK-IF.05"},
		Needs:  []string{needStorage, needStoredRecord, needDecline},
		Wrap: wrapSave(func(_ *checkout.Config, r *checkout.Record) {
			if !r.ExpiresAt.IsZero() {
				r.ExpiresAt = r.ExpiresAt.Add(-time.Minute)
			}
		}),
	}, {
		Name:   "attempts-forgotten",
		Breaks: "stores no attempts",
		Kills:  []string{"SRS-CHK-IF.05"},
		Needs:  []string{needStorage, needStoredRecord, needDecline, needDependencies},
		Wrap:   func(c *checkout.Config) { c.Store = forgetful{c.Store} },
	}}
}

// lastCorrelation is a variable that should have been a parameter.
func lastCorrelation(c *checkout.Config) {
	var last atomic.Pointer[string]
	wrapAuthenticate(func(r *http.Request, p auth.Principal, err error) (auth.Principal, error) {
		if id := r.Header.Get(checkout.CorrelationHeader); r.Method == http.MethodPost && id != "" {
			last.Store(&id)
		}
		return p, err
	})(c)
	wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if id := last.Load(); id != nil {
			r.Header.Set(checkout.CorrelationHeader, *id)
		}
		return next.RoundTrip(r)
	})(c)
}

// uncorrelated drops the correlation id of changes of state.
func uncorrelated(r slog.Record) (slog.Record, bool) {
	if r.Message == "state" {
		r = without(r, "correlationId")
	}
	return r, true
}

// forgetful is a store that keeps no attempts.
type forgetful struct{ checkout.Store }

func (s forgetful) Save(ctx context.Context, r checkout.Record, _ ...checkout.Attempt) error {
	return s.Store.Save(ctx, r)
}
