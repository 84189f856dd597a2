package client

import (
	"math/rand/v2"
	"time"
)

// Policy bounds one call.
type Policy struct {
	Attempts int           // sends per call, the first one included
	Base     time.Duration // backoff before the second attempt, doubled for each further one
	Cap      time.Duration // upper limit of one backoff
	Connect  time.Duration // per attempt: DNS, TCP, TLS and waiting for a pooled connection
	Read     time.Duration // per attempt: from a usable connection to the last byte of the body
	Total    time.Duration // all attempts and waits together
	MaxBody  int64         // bytes of a response; a longer one is unreadable
}

// DefaultPolicy returns the specified numbers.
func DefaultPolicy() Policy {
	return Policy{
		Attempts: 3,
		Base:     200 * time.Millisecond,
		Cap:      2 * time.Second,
		Connect:  2 * time.Second,
		Read:     5 * time.Second,
		Total:    10 * time.Second,
		MaxBody:  1 << 20,
	}
}

// Scaled returns p with all times divided by n.
func (p Policy) Scaled(n float64) Policy {
	for _, d := range []*time.Duration{&p.Base, &p.Cap, &p.Connect, &p.Read, &p.Total} {
		*d = time.Duration(float64(*d) / n)
	}
	return p
}

// wait returns the pause after attempt n: exponential with equal jitter, so that
// callers who failed together do not return together. The peer's own wish is a
// floor, and jitter moves away from it upwards only.
func (p Policy) wait(n int, floor time.Duration) time.Duration {
	step := p.Base
	for range n - 1 {
		step = min(2*step, p.Cap)
	}
	half := step / 2
	jitter := time.Duration(rand.Int64N(int64(half) + 1))
	if floor > half+jitter {
		return floor + jitter
	}
	return half + jitter
}
