package peer

import (
	"context"
	"slices"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// peer is the dependency of one case.
type peer struct {
	url    string
	plans  []*plan
	see    func(harness.Event)
	knocks func() int // of a door that lets nobody in; nil if the connections tell
	end    func()     // takes it off its address
	wait   func()     // for what end ended
	many   bool       // it is at all of this machine's own addresses
	ctx    context.Context
	cancel context.CancelFunc
	parts  sync.WaitGroup // of connections that have not told of their end

	mu       sync.Mutex
	closed   bool
	requests int
	met      []int
	joined   int // connections so far
	open     int // and now
}

func newPeer(script harness.Script, see func(harness.Event)) (*peer, error) {
	plans, err := prepare(script)
	if err != nil {
		return nil, err
	}
	p := &peer{plans: plans, see: see, met: make([]int, len(plans))}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// URL implements [harness.Peer].
func (p *peer) URL() string { return p.url }

// Everywhere implements [harness.Everywhere].
func (p *peer) Everywhere() bool { return p.many }

// Requests implements [harness.Peer].
func (p *peer) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// Met implements [harness.Peer].
func (p *peer) Met() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.met)
}

// Knocks implements [harness.Peer].
func (p *peer) Knocks() int {
	if p.knocks != nil {
		return p.knocks()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.joined
}

// Connections implements [harness.Peer].
func (p *peer) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

// Close implements [harness.Peer].
func (p *peer) Close(ctx context.Context) error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	if first {
		p.end()
	}
	return within(ctx, "the scripted peer at "+p.url, p.wait)
}

// take counts a request that was read in full on a connection, and returns which
// it is and the plan for it. A fresh connection carried none before.
func (p *peer) take(fresh bool) (index, step int, todo *plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	step = min(p.requests, len(p.plans))
	todo = p.plans[step-1]
	if fresh && todo.fresh != nil {
		return p.requests, step, todo.fresh
	}
	p.met[step-1]++
	return p.requests, step, todo
}

// join counts a connection. It fails if the case is over.
func (p *peer) join() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.joined++
	p.open++
	p.parts.Add(1)
	return true
}

// leave tells of the end of a connection.
func (p *peer) leave(c *harness.Connection) {
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
	p.see(harness.Event{Type: harness.ConnEvent, Conn: c})
	p.parts.Done()
}
