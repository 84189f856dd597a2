package stack

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"
	"sync"
	"time"
)

const (
	maxBackoff = 5 * time.Second
	steady     = 10 * time.Second // a process that lived this long does not keep dying
)

// instance is one address of the reference and the process that serves it at
// the moment. One goroutine, keep, owns the process, so that an order and a
// death at the same time cannot start two.
type instance struct {
	number  int
	addr    string
	socket  *os.File
	command []string
	config  InstanceConfig // all but the dependencies and settings
	links   *dependencies
	shared  *settings
	limits  limits
	log     *log.Logger
	orders  chan order

	mu     sync.Mutex
	pid    int    // 0 while no process is ready
	deaths int    // processes that ended by themselves
	kept   string // killed or paused while somebody keeps it so
}

// keep starts the instance, reports on first whether it became ready, and then
// keeps it running until ctx ends. It gives up only if the first start fails.
func (in *instance) keep(ctx context.Context, first chan<- error) {
	// A child dies with the thread that started it, where the system knows such a
	// thing: it has to be one that lives as long as we do.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := in.start(ctx)
	first <- err
	if err != nil {
		return
	}
	k := keeper{in: in, p: p, wait: in.limits.backoff}
	defer k.drop()
	for {
		var exited <-chan struct{}
		var retry <-chan time.Time
		switch {
		case k.p != nil:
			exited = k.p.exited
		case !k.killed():
			retry = time.After(k.wait)
			k.wait = min(2*k.wait, maxBackoff)
		}
		select {
		case <-ctx.Done():
			k.wake()
			in.end(k.p, func(p *process) { p.stop(in.limits.stop) })
			return
		case o := <-in.orders:
			o.reply <- k.carryOut(ctx, o)
		case <-k.expired():
			k.expire(ctx)
		case <-exited:
			if time.Since(k.p.started) > steady {
				k.wait = in.limits.backoff
			}
			k.drop()
			in.bury(k.p, k.wait)
			k.p = nil
		case <-retry:
			if k.p, err = in.start(ctx); err != nil {
				in.log.Printf("restart of instance %d failed: %v", in.number, err)
			}
		}
	}
}

// start returns a process that accepts requests and has confirmed the
// dependency addresses and settings that are in force, or an error and no
// process.
func (in *instance) start(ctx context.Context) (*process, error) {
	cfg := in.config
	// Both go along with the configuration, since the process may resume parked
	// work before anybody can push to it; joining closes the gap in which they may
	// have changed.
	cfg.Dependencies, cfg.Settings = in.links.current(), in.shared.current()
	p, err := launch(ctx, in.command, in.socket, cfg, in.limits.ready, in.log.Writer())
	if err != nil {
		return nil, fmt.Errorf("start instance %d on %s: %w", in.number, in.addr, err)
	}
	joined := member{admin: p.admin, evict: p.signalKill}
	err = in.links.join(ctx, in.number, joined)
	if err == nil {
		err = in.shared.join(ctx, in.number, joined)
	}
	if err != nil {
		in.withdraw()
		p.kill()
		return nil, fmt.Errorf("start instance %d on %s: %w", in.number, in.addr, err)
	}
	in.mu.Lock()
	in.pid = p.pid()
	in.mu.Unlock()
	return p, nil
}

// end withdraws the process, if there is one, and ends it. It returns the pid
// of what it ended, 0 if there was nothing or it had died already.
func (in *instance) end(p *process, how func(*process)) int {
	if p == nil {
		return 0
	}
	select {
	case <-p.exited:
		in.bury(p, 0)
		return 0
	default:
	}
	in.withdraw()
	how(p)
	return p.pid()
}

func (in *instance) bury(p *process, wait time.Duration) {
	in.withdraw()
	in.mu.Lock()
	in.deaths++
	in.mu.Unlock()
	in.log.Printf("instance %d (pid %d) died by itself: %v; next start in %v", in.number, p.pid(), p.reason(), wait)
}

func (in *instance) withdraw() {
	in.links.leave(in.number)
	in.shared.leave(in.number)
	in.mu.Lock()
	in.pid = 0
	in.mu.Unlock()
}

func (in *instance) state() instanceState {
	in.mu.Lock()
	defer in.mu.Unlock()
	return instanceState{PID: in.pid, Addr: in.addr, Deaths: in.deaths, Kept: in.kept}
}
