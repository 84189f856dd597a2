package mutants

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

func keyFlagMutants() []Mutant {
	return []Mutant{{
		Name:   "flag-off-ignores-keys",
		Breaks: "does not look at keys while none is required",
		Kills:  []string{"SRS-CHK-SEC.06"},
		Needs:  []string{needFeatureFlag, needKeyFlag, needEffects},
		Wrap: func(c *checkout.Config) {
			required := c.KeyRequired
			wrapKey(func(h http.Header, right readKey) (string, error) {
				if required != nil && !required() {
					return rand.Text(), nil
				}
				return right(h)
			})(c)
		},
	}, {
		Name:   "flag-off-refuses",
		Breaks: "requires a key whatever the flag says",
		Kills:  []string{"SRS-CHK-SEC.06"},
		Needs:  []string{needFeatureFlag, needKeyFlag, needEffects},
		Wrap:   func(c *checkout.Config) { c.KeyRequired = func() bool { return true } },
	}, {
		Name:   "only-rejections-counted",
		Breaks: "counts a request without a key only if it is refused for that",
		Kills:  []string{"SRS-CHK-SEC.08"},
		Needs:  []string{needFeatureFlag, needKeyFlag, needMetrics},
		Wrap: func(c *checkout.Config) {
			required := c.KeyRequired
			c.Meter = counting{c.Meter, func(name string) (bool, []metric.AddOption) {
				return name != "requests.keyless" || required == nil || required(), nil
			}}
		},
	}, {
		Name:   "customer-in-a-label",
		Breaks: "counts by customer",
		Kills:  []string{"SRS-CHK-SEC.08"},
		Needs:  []string{needFeatureFlag, needKeyFlag, needMetrics},
		Wrap:   labelling("customer", func(p auth.Principal, _ *http.Request) string { return p.Tenant + "/" + p.Subject }),
	}, {
		Name:   "key-in-a-label",
		Breaks: "counts by key",
		Kills:  []string{"SRS-CHK-SEC.08"},
		Needs:  []string{needFeatureFlag, needKeyFlag, needMetrics},
		Wrap:   labelling("key", func(_ auth.Principal, r *http.Request) string { return r.Header.Get(checkout.KeyHeader) }),
	}}
}

// labelling counts by something of the request that was let in last.
func labelling(name string, of func(auth.Principal, *http.Request) string) func(*checkout.Config) {
	return func(c *checkout.Config) {
		var last atomic.Pointer[string]
		right := c.Authenticate
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			p, err := right(r)
			if err == nil {
				value := of(p, r)
				last.Store(&value)
			}
			return p, err
		}
		c.Meter = counting{c.Meter, func(string) (bool, []metric.AddOption) {
			if value := last.Load(); value != nil {
				return true, []metric.AddOption{metric.WithAttributes(attribute.String(name, *value))}
			}
			return true, nil
		}}
	}
}

// counting is a meter whose counters count some of what they are told, with
// further labels.
type counting struct {
	metric.Meter
	how func(name string) (bool, []metric.AddOption)
}

func (m counting) Int64Counter(name string, options ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	c, err := m.Meter.Int64Counter(name, options...)
	return counter{c, name, m.how}, err
}

type counter struct {
	metric.Int64Counter
	name string
	how  func(name string) (bool, []metric.AddOption)
}

func (c counter) Add(ctx context.Context, n int64, options ...metric.AddOption) {
	if counted, more := c.how(c.name); counted {
		c.Int64Counter.Add(ctx, n, append(options, more...)...)
	}
}
