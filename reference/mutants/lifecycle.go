package mutants

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// lifecycleMutants say wrongly how far a checkout has got, or do not get it any
// further.
func lifecycleMutants() []Mutant {
	return []Mutant{{
		Name:   "attempts-in-memory",
		Breaks: "writes down how many attempts it made only when it lets go of a checkout",
		Kills:  []string{"SRS-CHK-002.15"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			var written sync.Map // counts by request id
			wrapSave(func(_ *checkout.Config, r *checkout.Record) {
				if r.Lock != checkout.InProgress {
					written.Store(r.RequestID, r.AttemptCount)
				}
				known, _ := written.LoadOrStore(r.RequestID, 0)
				r.AttemptCount = known.(int)
			})(c)
		},
	}, {
		Name:   "state-in-its-own-words",
		Breaks: "calls a pending checkout PROCESSING",
		Kills:  []string{"SRS-CHK-002.17"},
		Needs:  []string{needDependencies},
		Wrap: rewritten(reads, func(_ *http.Request, body map[string]any) {
			if body["state"] == string(checkout.Pending) {
				body["state"] = "PROCESSING"
			}
		}),
	}, {
		Name:   "terminal-state-flips",
		Breaks: "shows a finished checkout as pending for a while once somebody repeated it",
		Kills:  []string{"SRS-CHK-002.19", "SRS-CHK-003.12"},
		Needs:  []string{needDependencies, needDecline},
		Wrap: func(c *checkout.Config) {
			var repeated sync.Map // by request id
			wrapReplay(func(_ context.Context, r checkout.Record, a checkout.Answer) checkout.Answer {
				repeated.Store(r.RequestID, true)
				return a
			})(c)
			rewritten(reads, func(_ *http.Request, body map[string]any) {
				if _, again := repeated.LoadAndDelete(body["requestId"]); again {
					body["state"] = string(checkout.Pending)
				}
			})(c)
		},
	}, {
		Name:   "updated-at-goes-back",
		Breaks: "shows when a checkout was made in place of when it changed last, once it has changed",
		Kills:  []string{"SRS-CHK-002.19"},
		Needs:  []string{needDependencies, needDecline},
		Wrap: func(c *checkout.Config) {
			var first sync.Map // times by request id
			rewritten(reads, func(_ *http.Request, body map[string]any) {
				at, _ := body["updatedAt"].(string)
				was, _ := first.LoadOrStore(body["requestId"], at)
				if t, err := time.Parse(time.RFC3339Nano, was.(string)); err == nil && was != at {
					body["updatedAt"] = t.Add(-time.Second).Format(time.RFC3339Nano)
				}
			})(c)
		},
	}, {
		Name:   "asynchronous-when-busy",
		Breaks: "answers checkouts as pending while it has several at work",
		Kills:  []string{"SRS-CHK-002.21"},
		Wrap:   pendingWhenBusy,
	}, {
		Name:   "pending-for-ever",
		Breaks: "never looks again for what it left open",
		Kills:  []string{"SRS-CHK-002.25"},
		Needs:  []string{needDependencies},
		Wrap:   func(c *checkout.Config) { c.Store = neverDue{c.Store} },
	}, {
		Name:   "waits-for-a-charge-that-never-was",
		Breaks: "goes on asking for a charge of which the provider knows nothing, instead of making it",
		Kills:  []string{"SRS-CHK-002.25"},
		Needs:  []string{needDependencies, needDecline},
		Wrap: func(c *checkout.Config) {
			right := c.Reconcile
			c.Reconcile = func(ctx context.Context, r checkout.Record, query func(context.Context) (string, error)) (string, error) {
				id, err := right(ctx, r, query)
				if err == nil && id == "" {
					err = errors.New("the provider does not know of the charge yet")
				}
				return id, err
			}
		},
	}, {
		Name:   "decline-retryable",
		Breaks: "tells the customer of a declined card to repeat the request",
		Kills:  []string{"SRS-CHK-002.27"},
		Needs:  []string{needDependencies, needDecline},
		Wrap: rewritten(func(_ *http.Request, a checkout.Answer) bool { return a.Status == http.StatusPaymentRequired }, func(_ *http.Request, body map[string]any) {
			body["retryable"] = true
		}),
	}, {
		Name:   "decline-as-refusal",
		Breaks: "takes a declined card for an order that was refused",
		Kills:  []string{"SRS-CHK-002.27"},
		Needs:  []string{needDependencies, needDecline},
		Wrap: wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && resp.StatusCode == http.StatusPaymentRequired {
				resp.StatusCode = http.StatusUnprocessableEntity
			}
			return resp, err
		}),
	}, {
		Name:   "undone-once",
		Breaks: "does not try again to void a charge where that failed",
		Kills:  []string{"SRS-CHK-002.28"},
		Needs:  []string{needDependencies, needEffects},
		Wrap: wrapSave(func(_ *checkout.Config, r *checkout.Record) {
			if r.State == checkout.FailedFinal {
				r.DueAt = time.Time{}
			}
		}),
	}, {
		Name:   "charge-kept",
		Breaks: "keeps the charge of a checkout whose order was refused",
		Kills:  []string{"SRS-CHK-002.28"},
		Needs:  []string{needDependencies, needEffects},
		Wrap: wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(r.URL.Path, "/void") {
				return next.RoundTrip(r)
			}
			return &http.Response{StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
				Body: http.NoBody, ContentLength: 0, Request: r}, nil
		}),
	}}
}

// severalAtWork is how many checkouts are too many for an answer at once.
const severalAtWork = 3

// pendingWhenBusy says of a success at first that it is pending, while others are
// at work.
func pendingWhenBusy(c *checkout.Config) {
	var atWork atomic.Int64
	var told sync.Map // locations
	wrapReserve(func(right reservation) reservation {
		return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
			stored, created, err := right(ctx, r)
			if created {
				atWork.Add(1)
			}
			return stored, created, err
		}
	})(c)
	right := c.Write
	c.Write = func(w http.ResponseWriter, r *http.Request, a checkout.Answer) {
		at := a.Header.Get("Location")
		if _, again := told.LoadOrStore(at, true); r.Method == http.MethodPost && at != "" && !again {
			if busy := atWork.Add(-1) >= severalAtWork; busy && a.Status == http.StatusCreated {
				a.Status = http.StatusAccepted
				a.Body = fmt.Appendf(nil, `{"requestId":%q,"state":%q,"code":%q,"retryable":true}`, path.Base(at), checkout.Pending, checkout.CodePending)
			}
		}
		right(w, r, a)
	}
}

// neverDue is a store in which nothing is ever due.
type neverDue struct{ checkout.Store }

func (neverDue) Due(context.Context, time.Time, int) ([]string, error) { return nil, nil }
