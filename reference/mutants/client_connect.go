package mutants

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

func connectMutants() []Mutant {
	return []Mutant{{
		Name:   "no-connect-limit",
		Breaks: "lets an attempt connect for as long as the call may last",
		Kills:  []string{"SRS-RES-001.01", "SRS-RES-001.02", "SRS-RES-001.96"},
		Needs:  []string{needTLSTrust, needDeclaredPolicy},
		Client: limiting(client.Connecting, func(_ client.Policy, _, remaining time.Duration) time.Duration { return remaining }),
	}, {
		Name:   "dial-limit-only",
		Breaks: "limits the dial, and not the TLS handshake after it",
		Kills:  []string{"SRS-RES-001.02"},
		Needs:  []string{needTLSTrust},
		Client: func(c *client.Config) {
			limiting(client.Connecting, func(_ client.Policy, _, remaining time.Duration) time.Duration { return remaining })(c)
			dial, p := c.Dial, c.Policy
			c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				ctx, cancel := context.WithTimeoutCause(ctx, p.Connect, client.ErrTimeLimit)
				defer cancel()
				return dial(ctx, network, addr)
			}
		},
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

// limiting changes the limit of one phase of an attempt.
func limiting(phase client.Phase, change func(p client.Policy, right, remaining time.Duration) time.Duration) func(*client.Config) {
	return func(c *client.Config) {
		right := c.Limit
		c.Limit = func(p client.Policy, of client.Phase, remaining time.Duration) time.Duration {
			limit := right(p, of, remaining)
			if of == phase {
				limit = change(p, limit, remaining)
			}
			return limit
		}
	}
}

// timeLimit reports whether an attempt ran out of time.
func timeLimit(a client.Attempt) bool { return errors.Is(a.Err, client.ErrTimeLimit) }

// isDial reports whether there was no connection to send anything on.
func isDial(err error) bool {
	dial := (*net.OpError)(nil)
	return errors.As(err, &dial) && dial.Op == "dial"
}
