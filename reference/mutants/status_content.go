package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// statusContentMutants say too much, too little or what is no longer true.
func statusContentMutants() []Mutant {
	return []Mutant{{
		Name:   "reconcile-on-read",
		Breaks: "asks the payment provider whenever somebody reads a checkout that is not finished",
		Kills:  []string{"SRS-CHK-003.03"},
		Needs:  []string{needDependencies},
		Wrap:   func(c *checkout.Config) { c.Store = asking{c.Store, c.Directory, c.ProviderKey} },
	}, {
		Name:   "read-is-a-change",
		Breaks: "takes a read for a change, and stores when it was",
		Kills:  []string{"SRS-CHK-003.03"},
		Needs:  []string{needDependencies},
		Wrap:   func(c *checkout.Config) { c.Store = touching{c.Store, c} },
	}, {
		Name:   "status-without-updated-at",
		Breaks: "does not say when a checkout changed last",
		Kills:  []string{"SRS-CHK-003.04"},
		Wrap:   rewritten(reads, func(_ *http.Request, body map[string]any) { delete(body, "updatedAt") }),
	}, {
		Name:   "provider-code-in-status",
		Breaks: "shows in a status the code with which a provider refused",
		Kills:  []string{"SRS-CHK-003.05"},
		Needs:  []string{needDependencies},
		Wrap:   providerCodeShown,
	}, {
		Name:   "debug-in-status",
		Breaks: "shows in a status the payment token, for support staff",
		Kills:  []string{"SRS-CHK-003.06"},
		Needs:  []string{needFields},
		Wrap:   tokenShown,
	}, {
		Name:   "provider-key-in-header",
		Breaks: "tells in a header under which key its last charge was made",
		Kills:  []string{"SRS-CHK-003.06"},
		Needs:  []string{needFields, needDependencies},
		Wrap:   providerKeyShown,
	}, {
		Name:   "status-cached",
		Breaks: "answers from the status that it told first",
		Kills:  []string{"SRS-CHK-003.12"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			var first sync.Map // answers by path
			right := c.Write
			c.Write = func(w http.ResponseWriter, r *http.Request, a checkout.Answer) {
				if reads(r, a) {
					kept, _ := first.LoadOrStore(r.URL.Path, a)
					a = kept.(checkout.Answer)
				}
				right(w, r, a)
			}
		},
	}, {
		Name:   "counted-request-ids",
		Breaks: "numbers its requests",
		Kills:  []string{"SRS-CHK-003.13"},
		Wrap: wrapReserve(func(right reservation) reservation {
			var n atomic.Int64
			began := time.Now().UnixMicro()
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				r.RequestID = fmt.Sprintf("R%016X%09d", began, n.Add(1))
				return right(ctx, r)
			}
		}),
	}, {
		Name:   "status-cacheable",
		Breaks: "lets a cache keep a status for a while",
		Kills:  []string{"SRS-CHK-003.13"},
		Wrap: func(c *checkout.Config) {
			right := c.Write
			c.Write = func(w http.ResponseWriter, r *http.Request, a checkout.Answer) {
				if reads(r, a) {
					w = cacheable{w}
				}
				right(w, r, a)
			}
		},
	}}
}

// reads tells an answer that says what a checkout is.
func reads(r *http.Request, a checkout.Answer) bool {
	return r.Method == http.MethodGet && a.Status == http.StatusOK
}

// rewritten changes the JSON of the answers that it is about.
func rewritten(about func(*http.Request, checkout.Answer) bool, change func(*http.Request, map[string]any)) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Write
		c.Write = func(w http.ResponseWriter, r *http.Request, a checkout.Answer) {
			body := map[string]any{}
			if about(r, a) && json.Unmarshal(a.Body, &body) == nil {
				change(r, body)
				if text, err := json.Marshal(body); err == nil {
					a.Body = text
				}
			}
			right(w, r, a)
		}
	}
}

// asking is a store whose readers want to know it better.
type asking struct {
	checkout.Store
	directory *checkout.Directory
	key       func(checkout.Record, string) string
}

func (s asking) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	found, err := s.Store.Load(ctx, requestID)
	if err != nil || found.State.Terminal() {
		return found, err
	}
	at := s.directory.URL(checkout.Payment) + "/charges?key=" + url.QueryEscape(s.key(found, "charge"))
	if r, wrong := http.NewRequestWithContext(ctx, http.MethodGet, at, nil); wrong == nil {
		r.Header.Set(checkout.CorrelationHeader, found.CorrelationID)
		if resp, wrong := http.DefaultClient.Do(r); wrong == nil {
			_ = resp.Body.Close()
		}
	}
	return found, nil
}

// touching is a store whose readers leave their mark.
type touching struct {
	checkout.Store
	cfg *checkout.Config
}

func (s touching) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	found, err := s.Store.Load(ctx, requestID)
	if err != nil || found.Lock != checkout.Released {
		return found, err
	}
	found.UpdatedAt = s.cfg.Now()
	return found, s.Store.Save(ctx, found)
}

// providerCodeShown keeps the code of each refusal until somebody reads it.
func providerCodeShown(c *checkout.Config) {
	var codes sync.Map // by correlation id
	wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil || resp.StatusCode < http.StatusBadRequest || resp.StatusCode >= http.StatusInternalServerError {
			return resp, err
		}
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		resp.Body = body{io.MultiReader(strings.NewReader(string(said)), resp.Body), resp.Body.Close}
		var refusal struct {
			Code string `json:"code"`
		}
		if json.Unmarshal(said, &refusal) == nil && refusal.Code != "" {
			codes.Store(r.Header.Get(checkout.CorrelationHeader), refusal.Code)
		}
		return resp, nil
	})(c)
	rewritten(reads, func(_ *http.Request, body map[string]any) {
		if code, known := codes.Load(body["correlationId"]); known && body["code"] != nil {
			body["code"] = code
		}
	})(c)
}

// tokenShown keeps the token of each payment until somebody reads it.
func tokenShown(c *checkout.Config) {
	var tokens sync.Map // by request id
	wrapReserve(func(right reservation) reservation {
		return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
			tokens.Store(r.RequestID, r.Order.PaymentToken)
			return right(ctx, r)
		}
	})(c)
	rewritten(reads, func(_ *http.Request, body map[string]any) {
		if token, known := tokens.Load(body["requestId"]); known {
			body["debug"] = map[string]any{"paymentToken": token}
		}
	})(c)
}

// providerKeyShown keeps the key of each charge until its request is answered.
func providerKeyShown(c *checkout.Config) {
	var keys sync.Map // by correlation id
	wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/charges") && r.Method == http.MethodPost {
			keys.Store(r.Header.Get(checkout.CorrelationHeader), r.Header.Get(checkout.KeyHeader))
		}
		return next.RoundTrip(r)
	})(c)
	right := c.Write
	c.Write = func(w http.ResponseWriter, r *http.Request, a checkout.Answer) {
		if key, known := keys.Load(r.Header.Get(checkout.CorrelationHeader)); known && r.Method == http.MethodPost {
			w.Header().Set("X-Payment-Key", key.(string))
		}
		right(w, r, a)
	}
}

// cacheable lets its answer be kept.
type cacheable struct{ http.ResponseWriter }

func (c cacheable) WriteHeader(status int) {
	c.Header().Set("Cache-Control", "private, max-age=5")
	c.ResponseWriter.WriteHeader(status)
}
