package stack

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// The points at which an instance can be made to die: between two durable steps
// of a checkout.
const (
	crashBeforeReserve = "before-reserve"    // the request is there, and nothing is written
	crashAfterReserve  = "after-reserve"     // the key is reserved, and nothing is called
	crashAfterStock    = "after-reservation" // stock is reserved, and that is not written
	crashAfterCharge   = "after-charge"      // the card is charged, and that is not written
	crashAfterOrder    = "after-order"       // the order is made, and that is not written
	crashAfterTerminal = "after-final-state" // the final state is written, and nobody told
	crashBeforeAnswer  = "before-answer"     // the answer is made, and not sent
)

func crashPoints() []string {
	return []string{crashBeforeReserve, crashAfterReserve, crashAfterStock, crashAfterCharge, crashAfterOrder, crashAfterTerminal, crashBeforeAnswer}
}

// Crash is where an instance is to die.
type Crash struct {
	Point         string `json:"point"`                   // empty: nowhere
	CorrelationID string `json:"correlationId,omitempty"` // of the request under which it dies; empty: any
	LeaseMs       int64  `json:"leaseMs,omitempty"`
}

func (c Crash) check() error {
	longest := maxLease.Milliseconds()
	if !slices.Contains(crashPoints(), c.Point) {
		return fmt.Errorf("crash: point %q is none of %s", c.Point, strings.Join(crashPoints(), ", "))
	}
	if c.LeaseMs < 1 || c.LeaseMs > longest {
		return fmt.Errorf("crash: leaseMs is %d, it has to be 1 to %d", c.LeaseMs, longest)
	}
	return nil
}

// crasher ends its own process, without warning, where it was told to.
type crasher struct{ armed atomic.Pointer[armedCrash] }

type armedCrash struct {
	Crash
	until time.Time
}

// arm replaces what was armed before; a Crash without a point is none.
func (c *crasher) arm(to Crash) {
	if to.Point == "" {
		c.armed.Store(nil)
		return
	}
	c.armed.Store(&armedCrash{to, time.Now().Add(time.Duration(to.LeaseMs) * time.Millisecond)})
}

// told returns what is armed, if it still is.
func (c *crasher) told() Crash {
	if a := c.armed.Load(); a != nil && time.Now().Before(a.until) {
		return a.Crash
	}
	return Crash{}
}

// waits reports whether the process is to die at one of the points under a request
// of that correlation id.
func (c *crasher) waits(correlationID string, points ...string) bool {
	a := c.armed.Load()
	return a != nil && slices.Contains(points, a.Point) && time.Now().Before(a.until) &&
		(a.CorrelationID == "" || a.CorrelationID == correlationID)
}

// reach ends the process if it is to die here.
func (c *crasher) reach(point, correlationID string) {
	if !c.waits(correlationID, point) {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
		select {} // the signal is on its way: nothing may happen before it arrives
	}
}

// crashingCheckouts is a store beside which the process may die.
type crashingCheckouts struct {
	crash *crasher
	checkout.Store
}

func (s crashingCheckouts) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	s.crash.reach(crashBeforeReserve, r.CorrelationID)
	stored, created, err := s.Store.Reserve(ctx, r)
	if created {
		s.crash.reach(crashAfterReserve, r.CorrelationID)
	}
	return stored, created, err
}

func (s crashingCheckouts) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	if s.crash.waits(r.CorrelationID, crashAfterStock, crashAfterCharge, crashAfterOrder) {
		s.learned(ctx, r)
	}
	err := s.Store.Save(ctx, r, attempts...)
	if err == nil && r.State.Terminal() {
		s.crash.reach(crashAfterTerminal, r.CorrelationID)
	}
	return err
}

// learned ends the process if r holds a result that is not written yet.
func (s crashingCheckouts) learned(ctx context.Context, r checkout.Record) {
	was, err := s.Load(ctx, r.RequestID)
	if err != nil {
		return
	}
	for _, result := range []struct{ point, was, is string }{
		{crashAfterStock, was.ReservationID, r.ReservationID},
		{crashAfterCharge, was.ChargeID, r.ChargeID},
		{crashAfterOrder, was.OrderID, r.OrderID},
	} {
		if result.was == "" && result.is != "" {
			s.crash.reach(result.point, r.CorrelationID)
		}
	}
}

// beforeAnswers lets the process die before it answers what was asked of it.
func (c *crasher) beforeAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(checkout.CorrelationHeader)
		if r.Method == http.MethodPost && c.waits(id, crashBeforeAnswer) {
			w = dyingWriter{w, func() { c.reach(crashBeforeAnswer, id) }}
		}
		next.ServeHTTP(w, r)
	})
}

// dyingWriter does something before the first byte of an answer.
type dyingWriter struct {
	http.ResponseWriter
	before func()
}

func (w dyingWriter) WriteHeader(status int) {
	w.before()
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets a handler reach what the server's writer offers besides.
func (w dyingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
