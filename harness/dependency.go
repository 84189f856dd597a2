package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Dependency is a scripted peer of a case, with the proof of what its script
// did: each faulty step and door is a fault that was planned, and is proven once
// a request or connection met it and the call that it met has ended.
type Dependency struct {
	script  Script
	peer    Peer
	session *Session
	c       *Case

	mu       sync.Mutex
	seen     map[string]bool // faults that were observed
	closed   bool
	deadline *time.Timer
}

// Dependency opens a scripted peer for the case on the route and plans the
// faults of its script. It is closed at the end of the scenario at the latest.
func (s *Session) Dependency(ctx context.Context, c *Case, route Route, script Script) (*Dependency, error) {
	peers := s.target.Peers[route]
	if peers == nil {
		return nil, s.notOffered("play the dependency of the "+string(route), "client.shim, or gateway.dependency")
	}
	d := &Dependency{script: script, session: s, c: c, seen: map[string]bool{}}
	for _, fault := range d.faults() {
		s.recordFault(c, FaultRecord{Fault: fault, Stage: FaultPlanned, Injector: "peer"})
	}
	peer, err := peers.Open(ctx, Item(c), script, func(e Event) { s.sawPeer(c, e) })
	if err != nil {
		return nil, s.unproven(fmt.Errorf("open the scripted dependency of %s: %w", c.ID, err))
	}
	d.peer = peer
	lease := s.limit + peerLease
	d.deadline = time.AfterFunc(lease, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = d.close(ctx, "its lease of "+lease.String()+" expired")
	})
	s.mu.Lock()
	s.peers = append(s.peers, d)
	s.mu.Unlock()
	return d, nil
}

// peerLease is how much longer than its scenario may take a scripted peer stays
// if nobody closes it.
const peerLease = 30 * time.Second

// URL returns the root of the peer, without a slash at the end.
func (d *Dependency) URL() string { return d.peer.URL() }

// Connections returns how many connections to the peer are open.
func (d *Dependency) Connections() int { return d.peer.Connections() }

// Requests returns how many requests the peer has read so far.
func (d *Dependency) Requests() int { return d.peer.Requests() }

// faults names the faults of the script, in order.
func (d *Dependency) faults() []string {
	var names []string
	if d.script.Door.Faulty() {
		names = append(names, d.script.doorText())
	}
	for i, step := range d.script.Steps {
		if step.Faulty() {
			names = append(names, d.script.FaultText(i+1))
		}
	}
	return names
}

// fired counts how often each fault was met.
func (d *Dependency) fired() map[string]int {
	fired := map[string]int{}
	if d.script.Door.Faulty() {
		fired[d.script.doorText()] = d.peer.Knocks()
	}
	for i, met := range d.peer.Met() {
		if i < len(d.script.Steps) && d.script.Steps[i].Faulty() {
			fired[d.script.FaultText(i+1)] = met
		}
	}
	return fired
}

// ended notes the outcome of a call: whatever faults it met are observed by it.
func (d *Dependency) ended(outcome string) {
	d.awaitRefusal()
	fired := d.fired()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range d.faults() {
		if fired[name] == 0 || d.seen[name] {
			continue
		}
		d.seen[name] = true
		d.session.recordFault(d.c, FaultRecord{Fault: name, Stage: FaultFired, Fired: fired[name]})
		d.session.recordFault(d.c, FaultRecord{Fault: name, Stage: FaultObserved, Detail: "the call ended: " + outcome})
	}
}

// refusalToldIn is how long after its caller a door that refused him may know.
const refusalToldIn = time.Second

// awaitRefusal waits until a refused door knows of somebody, since the kernel
// tells the caller first.
func (d *Dependency) awaitRefusal() {
	if d.script.Door.Kind != DoorRefused {
		return
	}
	look, over := time.NewTicker(5*time.Millisecond), time.NewTimer(refusalToldIn)
	defer look.Stop()
	defer over.Stop()
	for d.peer.Knocks() == 0 {
		select {
		case <-look.C:
		case <-over.C:
			return
		}
	}
}

// Close ends the peer: what its script did is lifted.
func (d *Dependency) Close(ctx context.Context) error { return d.close(ctx, "") }

func (d *Dependency) close(ctx context.Context, why string) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	d.mu.Unlock()
	d.deadline.Stop()
	if err := d.peer.Close(ctx); err != nil {
		return fmt.Errorf("close the scripted dependency of %s: %w", d.c.ID, err)
	}
	fired := d.fired()
	for _, name := range d.faults() {
		d.session.recordFault(d.c, FaultRecord{Fault: name, Stage: FaultLifted, Fired: fired[name], Detail: why})
	}
	return nil
}

// sawPeer records what a scripted peer tells.
func (s *Session) sawPeer(c *Case, e Event) {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	if over {
		return // all peers were closed before; a lease that expired then tells nothing of the case
	}
	e.Case = c.ID
	if s.sparse {
		e = sparse(e)
	}
	s.rec.Append(e)
}

func (s *Session) dependenciesOf(c *Case) []*Dependency {
	s.mu.Lock()
	defer s.mu.Unlock()
	var mine []*Dependency
	for _, d := range s.peers {
		if c == nil || d.c == c {
			mine = append(mine, d)
		}
	}
	return mine
}

// closeDependencies ends all peers at the end of a scenario.
func (s *Session) closeDependencies(ctx context.Context) {
	for _, d := range s.dependenciesOf(nil) {
		if err := d.Close(ctx); err != nil && !errors.Is(err, context.Canceled) {
			s.Note(d.c, MarkError, err.Error(), nil)
		}
	}
}
