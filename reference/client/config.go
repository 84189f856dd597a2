package client

import (
	"context"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/exchange"
)

// Config says how a [Client] behaves. Start from [Defaults] and change what has to
// be different. The functions are the decisions that make a retry safe and
// bounded, one each; its comment names the one right implementation of each.
type Config struct {
	Policy          Policy
	exchange.Config // how connections are made

	// Judge says what a complete answer with this status is: [Judge].
	Judge func(status int) Class

	// Classify says whether a failed attempt may be repeated: [Transient].
	Classify func(Attempt) bool

	// Repeatable says whether a call may be sent more than once: [Repeatable].
	Repeatable func(Request) bool

	// Correlate returns the id that the call goes by, given the caller's:
	// [Correlate].
	Correlate func(id string) string

	// RetryAfter reads how long the peer asks to be left alone:
	// [exchange.RetryAfter].
	RetryAfter func(h http.Header, now time.Time) time.Duration

	// Wait returns the pause after attempt n, given what the peer asked for:
	// [Policy.Wait].
	Wait func(p Policy, n int, asked time.Duration) time.Duration

	// Pause waits for d and says whether another attempt may follow, given what
	// remains of the call's time: [Pause].
	Pause func(ctx context.Context, d, remaining time.Duration) bool

	// Deadline says when a call that starts at this moment must have ended:
	// [Policy.Deadline].
	Deadline func(p Policy, ctx context.Context, start time.Time) time.Time

	// Limit says after how long an attempt that is still connecting has failed as
	// [Connect], or from then on as [Timeout], given what remains of the call's time:
	// [Policy.Limit].
	Limit func(p Policy, as Class, remaining time.Duration) time.Duration

	// Now reads the clock by which deadlines are decided: [time.Now].
	Now func() time.Time

	Observer Observer
	Retries  func() bool // asked once per call. Off: one attempt, all limits kept
}

// Defaults returns the right Config, with the specified numbers.
func Defaults() Config {
	return Config{
		Policy: Policy{
			Attempts: 3,
			Base:     200 * time.Millisecond,
			Cap:      2 * time.Second,
			Connect:  2 * time.Second,
			Read:     5 * time.Second,
			Total:    10 * time.Second,
			MaxBody:  5 << 20,
		},
		Config:     exchange.Defaults(),
		Judge:      Judge,
		Classify:   Transient,
		Repeatable: Repeatable,
		Correlate:  Correlate,
		RetryAfter: exchange.RetryAfter,
		Wait:       Policy.Wait,
		Pause:      Pause,
		Deadline:   Policy.Deadline,
		Limit:      Policy.Limit,
		Now:        time.Now,
		Observer:   nobody{},
		Retries:    func() bool { return true },
	}
}
