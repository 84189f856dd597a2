package mutants

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// wholeMutants break the deadline of the whole checkout, and what is left behind
// when it comes.
func wholeMutants() []Mutant {
	return []Mutant{{
		Name:   "no-checkout-deadline",
		Breaks: "limits each call of a dependency, and not the checkout",
		Kills:  []string{"SRS-CHK-002.13", "SRS-CHK-002.14"},
		Needs:  []string{needDependencies},
		Wrap:   func(c *checkout.Config) { c.Policy.Deadline *= 1000 },
	}, {
		Name:   "retry-outlives-deadline",
		Breaks: "sends a call that the deadline ended once more in the background",
		Kills:  []string{"SRS-CHK-002.14"},
		Needs:  []string{needDependencies},
		Wrap: inBackground(func(r *http.Request, _ int, resp *http.Response) bool {
			deadline, limited := r.Context().Deadline()
			return resp == nil && limited && !time.Now().Before(deadline)
		}),
	}, {
		Name:   "retry-outlives-answer",
		Breaks: "sends a call once more in the background when all its attempts have failed and the caller was told so",
		Kills:  []string{"SRS-CHK-002.14"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			attempts := c.Client.Policy.Attempts
			inBackground(func(_ *http.Request, sent int, resp *http.Response) bool {
				return resp != nil && resp.StatusCode == http.StatusServiceUnavailable && sent == attempts
			})(c)
		},
	}, {
		Name:   "doubt-fails",
		Breaks: "gives a checkout up as failed where its payment could be found out",
		Kills:  []string{"SRS-CHK-002.22"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			c.Recoverable = func(checkout.Record, []checkout.Attempt) bool { return false }
		},
	}, {
		Name:   "doubt-stays-pending",
		Breaks: "leaves a checkout pending for ever where nobody can find out whether it was paid",
		Kills:  []string{"SRS-CHK-002.23"},
		Needs:  []string{needDependencies, needKeyless},
		Wrap: func(c *checkout.Config) {
			right := c.Recoverable
			c.Recoverable = func(r checkout.Record, attempts []checkout.Attempt) bool {
				return right(r, attempts) || slices.ContainsFunc(attempts, func(a checkout.Attempt) bool { return a.Dependency == checkout.Bank && a.Open() })
			}
		},
	}, {
		Name:   "transfers-again",
		Breaks: "makes a transfer of unknown outcome once more when its caller repeats the request",
		Kills:  []string{"SRS-CHK-002.24"},
		Needs:  []string{needEffects, needDependencies, needKeyless},
		Wrap:   func(c *checkout.Config) { c.Store = carefree{c.Store} },
	}, {
		Name:   "failure-without-handle",
		Breaks: "says that a checkout failed and not under which id to look what becomes of it",
		Kills:  []string{"SRS-CHK-002.23"},
		Needs:  []string{needDependencies, needKeyless},
		Wrap: func(c *checkout.Config) {
			right := c.Unfinished
			c.Unfinished = func(ctx context.Context, r checkout.Record) checkout.Answer { return withoutHandle(right(ctx, r)) }
		},
	}}
}

// inBackground sends a call with effects once more, a while later and for nobody,
// where again says so: given how often it was sent, and its answer or nil.
func inBackground(again func(r *http.Request, sent int, resp *http.Response) bool) func(*checkout.Config) {
	return func(c *checkout.Config) {
		var mu sync.Mutex
		sent := map[string]int{} // by key
		later := c.Client.Policy.Read
		wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodPost {
				return next.RoundTrip(r)
			}
			mu.Lock()
			key := r.Header.Get(checkout.KeyHeader)
			sent[key]++
			n := sent[key]
			mu.Unlock()
			another := copies(r)
			resp, err := next.RoundTrip(another())
			if again(r, n, resp) {
				repeat := another()
				time.AfterFunc(later, func() {
					ctx, cancel := context.WithTimeout(context.Background(), later) // dials end with the call, too
					defer cancel()
					if resp, err := next.RoundTrip(repeat.WithContext(ctx)); err == nil {
						_ = resp.Body.Close()
					}
				})
			}
			return resp, err
		})(c)
	}
}

// withoutHandle is an answer without what its status could be read by.
func withoutHandle(a checkout.Answer) checkout.Answer {
	var told map[string]any
	if err := json.Unmarshal(a.Body, &told); err != nil {
		return a
	}
	delete(told, "requestId")
	a.Body, _ = json.Marshal(told) // what was JSON is
	a.Header = a.Header.Clone()
	a.Header.Del("Location")
	return a
}

// carefree shows who takes over a checkout its transfers as if they had failed.
type carefree struct{ checkout.Store }

func (s carefree) Attempts(ctx context.Context, id string) ([]checkout.Attempt, error) {
	all, err := s.Store.Attempts(ctx, id)
	for i := range all {
		if all[i].Dependency != checkout.Bank {
			continue
		}
		all[i].Unknown = false
		if all[i].EndedAt.IsZero() {
			all[i].EndedAt = all[i].StartedAt
		}
	}
	return all, err
}
