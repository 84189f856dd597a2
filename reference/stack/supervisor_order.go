package stack

import (
	"context"
	"fmt"
	"time"
)

// What an instance can be told to do, and be kept in.
const (
	orderRestart = "restart"
	orderKill    = "kill"
	orderStart   = "start"
	orderPause   = "pause"
	orderResume  = "resume"

	keptKilled = "killed"
	keptPaused = "paused"
)

// order tells an instance what to do.
type order struct {
	do    string
	lease time.Duration // of kill and pause: until when the instance stays so
	reply chan outcome  // buffered: who gave the order may be gone
}

// outcome is what became of an order. A pid is 0 where nothing was to be done.
type outcome struct {
	killed, started, paused, resumed int
	err                              error
}

// keeper is what the goroutine of an instance knows.
type keeper struct {
	in    *instance
	p     *process // nil while there is none
	wait  time.Duration
	lease *time.Timer // of what the instance is kept in, nil while it is kept in nothing
	kept  string
}

func (k *keeper) killed() bool { return k.kept == keptKilled }

func (k *keeper) expired() <-chan time.Time {
	if k.lease == nil {
		return nil
	}
	return k.lease.C
}

func (k *keeper) carryOut(ctx context.Context, o order) (out outcome) {
	switch o.do {
	case orderRestart:
		k.drop()
		out.killed = k.in.end(k.p, (*process).kill)
		out.started, out.err = k.start(ctx)
	case orderKill:
		out.killed = k.in.end(k.p, (*process).kill)
		k.p = nil
		k.keep(keptKilled, o.lease)
	case orderStart:
		if k.killed() {
			k.drop()
			out.started, out.err = k.start(ctx)
		}
	case orderPause:
		if k.p == nil {
			out.err = fmt.Errorf("pause instance %d: no process of it is ready", k.in.number)
			return out
		}
		if out.err = k.p.signalPause(); out.err == nil {
			out.paused = k.p.pid()
			k.keep(keptPaused, o.lease)
		}
	case orderResume:
		if k.kept == keptPaused {
			out.resumed = k.p.pid()
			k.wake()
		}
	}
	return out
}

func (k *keeper) start(ctx context.Context) (pid int, err error) {
	if k.p, err = k.in.start(ctx); err != nil {
		return 0, err
	}
	return k.p.pid(), nil
}

// keep holds the instance in a state under a lease.
func (k *keeper) keep(state string, lease time.Duration) {
	k.drop()
	k.lease, k.kept = time.NewTimer(lease), state
	k.in.setKept(state)
}

// drop forgets what the instance was kept in.
func (k *keeper) drop() {
	if k.lease != nil {
		k.lease.Stop()
	}
	k.lease, k.kept = nil, ""
	k.in.setKept("")
}

// wake lets a paused process go on: one that stands still could not end in
// order either.
func (k *keeper) wake() {
	if k.kept == keptPaused {
		k.p.signalResume()
	}
	k.drop()
}

// expire ends a state that nobody ended in time.
func (k *keeper) expire(ctx context.Context) {
	state := k.kept
	k.in.log.Printf("instance %d was left %s and its lease is over: whoever did it is gone", k.in.number, state)
	k.wake()
	if state == keptKilled {
		if _, err := k.start(ctx); err != nil {
			k.in.log.Printf("start of instance %d failed: %v", k.in.number, err)
		}
	}
}

func (in *instance) setKept(state string) {
	in.mu.Lock()
	in.kept = state
	in.mu.Unlock()
}

// order has the instance do something and returns once it is done. If ctx ends
// first, it goes on by itself.
func (in *instance) order(ctx context.Context, do string, lease time.Duration) outcome {
	o := order{do: do, lease: lease, reply: make(chan outcome, 1)}
	select {
	case in.orders <- o:
	case <-ctx.Done():
		return outcome{err: ctx.Err()}
	}
	select {
	case r := <-o.reply:
		return r
	case <-ctx.Done():
		return outcome{err: ctx.Err()}
	}
}
