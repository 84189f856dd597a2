package mutants

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/exchange"
)

func connectMutants() []Mutant {
	return []Mutant{{
		Name:   "no-connect-limit",
		Breaks: "lets an attempt connect for as long as the call may last",
		Kills:  []string{"SRS-RES-001.01", "SRS-RES-001.02", "SRS-RES-001.03", "SRS-RES-001.96"},
		Needs:  []string{needTLSTrust, needResolver, needDeclaredPolicy},
		Client: limiting(client.Connect, func(_ client.Policy, _, remaining time.Duration) time.Duration { return remaining }),
	}, {
		Name:   "dial-limit-only",
		Breaks: "limits the dial, and not the TLS handshake after it",
		Kills:  []string{"SRS-RES-001.02"},
		Needs:  []string{needTLSTrust},
		Client: func(c *client.Config) {
			limiting(client.Connect, func(_ client.Policy, _, remaining time.Duration) time.Duration { return remaining })(c)
			dial, p := c.Dial, c.Policy
			c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				ctx, cancel := context.WithTimeoutCause(ctx, p.Connect, exchange.ErrTimeLimit)
				defer cancel()
				return dial(ctx, network, addr)
			}
		},
	}, {
		Name:   "lookup-before-the-limit",
		Breaks: "finds out where its dependency is before its time for connecting begins",
		Kills:  []string{"SRS-RES-001.03"},
		Needs:  []string{needResolver},
		Client: lookupBeforeTheLimit,
	}, {
		Name:   "connect-timeout-is-final",
		Breaks: "gives up when a connection does not come about in time",
		Kills:  []string{"SRS-RES-001.01", "SRS-RES-001.45"},
		Client: final(func(a client.Attempt) bool { return a.Class == client.Connect && timeLimit(a) }),
	}, {
		Name:   "refused-is-final",
		Breaks: "gives up when a connection is refused",
		Kills:  []string{"SRS-RES-001.30"},
		Client: final(func(a client.Attempt) bool { return a.Class == client.Connect && !timeLimit(a) }),
	}, {
		Name:   "leaking-dial",
		Breaks: "leaves a dial running when its attempt has ended",
		Kills:  []string{"SRS-RES-001.15"},
		Client: func(c *client.Config) {
			dial := c.Dial
			c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				return dial(context.WithoutCancel(ctx), network, addr)
			}
		},
	}}
}

// lookupBeforeTheLimit tries the dependency's name by dialling it, since that is
// how a client is told whom to ask, and hears no limit but its own patience.
func lookupBeforeTheLimit(c *client.Config) {
	dial, patience := c.Dial, c.Policy.Read
	around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if net.ParseIP(r.URL.Hostname()) != nil {
			return next.RoundTrip(r) // nothing to look up
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), patience)
		defer cancel()
		conn, err := dial(ctx, "tcp", net.JoinHostPort(r.URL.Hostname(), cmp.Or(r.URL.Port(), "80")))
		if err != nil {
			return nil, err
		}
		_ = conn.Close()
		return next.RoundTrip(r)
	})
}

// limiting changes one of the limits of an attempt: that beyond which it has failed
// as one class.
func limiting(class client.Class, change func(p client.Policy, right, remaining time.Duration) time.Duration) func(*client.Config) {
	return func(c *client.Config) {
		right := c.Limit
		c.Limit = func(p client.Policy, as client.Class, remaining time.Duration) time.Duration {
			limit := right(p, as, remaining)
			if as == class {
				limit = change(p, limit, remaining)
			}
			return limit
		}
	}
}

// timeLimit reports whether an attempt ran out of time.
func timeLimit(a client.Attempt) bool { return errors.Is(a.Err, exchange.ErrTimeLimit) }

// isDial reports whether there was no connection to send anything on.
func isDial(err error) bool {
	dial := (*net.OpError)(nil)
	return errors.As(err, &dial) && dial.Op == "dial"
}
