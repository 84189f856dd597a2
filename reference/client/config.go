package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"reflect"
	"time"
)

// Config says how a [Client] behaves. The zero Config is the right one: what is
// zero or nil means what [Defaults] has there.
type Config struct {
	Policy Policy
	Seams

	Dial     func(ctx context.Context, network, addr string) (net.Conn, error)
	TLS      *tls.Config                               // whom to trust; nil: whom the machine trusts
	Wrap     func(http.RoundTripper) http.RoundTripper // around the transport, once per attempt
	Observer Observer                                  // nil: nobody watches
	Retries  func() bool                               // asked once per call; nil: always on. Off: one attempt, all limits kept
}

// Seams are the decisions that make a retry safe and bounded, one function each.
// Each has one right implementation here, which its comment names.
type Seams struct {
	// Judge says what a complete answer with this status is: [Judge].
	Judge func(status int) Class

	// Classify says whether a failed attempt may be repeated: [Transient].
	Classify func(Attempt) bool

	// Repeatable says whether a call may be sent more than once: [Repeatable].
	Repeatable func(Request) bool

	// Correlate returns the id that the call goes by, given the caller's:
	// [Correlate].
	Correlate func(id string) string

	// RetryAfter reads how long the peer asks to be left alone: [RetryAfter].
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

	// Limit says how long an attempt may take to connect, or from then on to read,
	// given what remains of the call's time: [Policy.Limit].
	Limit func(p Policy, phase Phase, remaining time.Duration) time.Duration

	// Now reads the clock by which deadlines are decided: [time.Now].
	Now func() time.Time
}

// Defaults returns the right Config.
func Defaults() Config {
	return Config{
		Policy: DefaultPolicy(),
		Seams: Seams{
			Judge:      Judge,
			Classify:   Transient,
			Repeatable: Repeatable,
			Correlate:  Correlate,
			RetryAfter: RetryAfter,
			Wait:       Policy.Wait,
			Pause:      Pause,
			Deadline:   Policy.Deadline,
			Limit:      Policy.Limit,
			Now:        time.Now,
		},
		Dial:     (&net.Dialer{}).DialContext,
		Observer: unobserved{},
		Retries:  func() bool { return true },
	}
}

// complete fills what is zero or nil from the defaults. It goes through the
// fields, so that one that is added later cannot be forgotten here.
func (c Config) complete() Config {
	fill(reflect.ValueOf(&c).Elem(), reflect.ValueOf(Defaults()))
	fill(reflect.ValueOf(&c.Seams).Elem(), reflect.ValueOf(Defaults().Seams))
	return c
}

func fill(given, right reflect.Value) {
	for i := range given.NumField() {
		if given.Field(i).IsZero() {
			given.Field(i).Set(right.Field(i))
		}
	}
}
