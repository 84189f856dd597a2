package client

import (
	"context"
	"math/rand/v2"
	"time"
)

// Policy bounds one call. The times are caps: the smallest that remains wins.
type Policy struct {
	Attempts int           // sends per call, the first one included
	Base     time.Duration // backoff before the second attempt, doubled for each further one
	Cap      time.Duration // upper limit of one backoff
	Connect  time.Duration // per attempt: DNS, TCP, TLS and waiting for a pooled connection
	Read     time.Duration // per attempt: from a usable connection to the last byte of the body
	Total    time.Duration // all attempts and waits together
	MaxBody  int64         // bytes of a response; a longer one is unreadable
}

// Scaled returns p with all times divided by n.
func (p Policy) Scaled(n float64) Policy {
	for _, d := range []*time.Duration{&p.Base, &p.Cap, &p.Connect, &p.Read, &p.Total} {
		*d = time.Duration(float64(*d) / n)
	}
	return p
}

// Deadline is the default [Config.Deadline]: the whole time, or what the caller
// has left if that is less.
func (p Policy) Deadline(ctx context.Context, start time.Time) time.Time {
	deadline := start.Add(p.Total)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		return d
	}
	return deadline
}

// Limit is the default [Config.Limit]: connecting and reading have a limit each in
// every attempt, and neither outlives the call.
func (p Policy) Limit(as Class, remaining time.Duration) time.Duration {
	if as == Connect {
		return min(p.Connect, remaining)
	}
	return min(p.Read, remaining)
}

// Wait is the default [Config.Wait]: exponential with equal jitter, so that
// callers who failed together do not return together. What the peer asked for is
// a floor, and jitter moves away from it upwards only.
func (p Policy) Wait(n int, asked time.Duration) time.Duration {
	step := p.Base
	for range n - 1 {
		step = min(2*step, p.Cap)
	}
	half := step / 2
	// The generator of the runtime: seeded by itself in each process, so that no
	// two of them draw the same sequence, and safe for concurrent use.
	jitter := rand.N(half + 1)
	return max(asked, half) + jitter
}

// Pause is the default [Config.Pause]. A pause that does not fit before the
// deadline is not begun: nobody should wait for a retry that cannot happen. One
// that the caller ends is not followed by anything.
func Pause(ctx context.Context, d, remaining time.Duration) bool {
	if d >= remaining {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
