package stack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"maps"
	"sync"
	"time"
)

// Refusals of the attachment protocol.
var (
	errAttached = errors.New("dependencies are attached already")
	errFixed    = errors.New("the dependencies of this stack have fixed addresses")
	errNoLease  = errors.New("no such lease")
)

// dependencies decides what the instances call: our own upstreams or, under a
// lease, the addresses of a run. One mutex covers both the decision and telling
// it to the instances, so that no instance can be left with an older one. A
// push is bounded, therefore so is the wait for the mutex.
type dependencies struct {
	own   map[string]string
	fixed bool // runs listen where the instances call; nothing can be attached
	admin *adminClient
	log   *log.Logger

	mu      sync.Mutex
	members map[int]member // ready instances by number
	lease   *lease
}

// member is a ready instance.
type member struct {
	admin string // host:port of its admin listener
	evict func() // kills it; its keeper then starts another
}

type lease struct {
	id             string
	since, expires time.Time
	length         time.Duration
	urls           map[string]string // overrides of own
	timer          *time.Timer
}

func newDependencies(own map[string]string, push time.Duration, logger *log.Logger) *dependencies {
	return &dependencies{own: own, admin: newAdminClient(push), log: logger, members: map[int]member{}}
}

// current returns the base URLs that are in force.
func (d *dependencies) current() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inForce()
}

func (d *dependencies) inForce() map[string]string {
	urls := maps.Clone(d.own)
	if d.lease != nil {
		maps.Copy(urls, d.lease.urls)
	}
	return urls
}

// join tells a started instance what is in force and includes it from then on.
func (d *dependencies) join(ctx context.Context, number int, m member) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.admin.push(ctx, m.admin, pathDependencies, d.inForce()); err != nil {
		return err
	}
	d.members[number] = m
	return nil
}

// leave forgets an instance that is gone or about to go.
func (d *dependencies) leave(number int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.members, number)
}

// attach puts urls in force for as long as the lease is renewed, and returns
// its id once every instance has confirmed them. On an error nothing changed.
func (d *dependencies) attach(ctx context.Context, urls map[string]string, length time.Duration) (string, error) {
	if d.fixed {
		return "", fmt.Errorf("%w: listen on them, as the profile that this stack wrote says, or serve without --listen-dependencies", errFixed)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if l := d.lease; l != nil {
		return "", fmt.Errorf("%w: lease of another run, %v old, ends in %v unless it is renewed; end that run, or wait",
			errAttached, now.Sub(l.since).Round(time.Millisecond), l.expires.Sub(now).Round(time.Millisecond))
	}
	l := &lease{id: rand.Text(), since: now, expires: now.Add(length), length: length, urls: urls}
	d.lease = l
	for number, m := range d.members {
		if err := d.admin.push(ctx, m.admin, pathDependencies, d.inForce()); err != nil {
			d.revert(ctx)
			return "", fmt.Errorf("attach dependencies to instance %d: %w; nothing is attached, try again", number, err)
		}
	}
	l.timer = time.AfterFunc(length, func() { d.expire(l) })
	return l.id, nil
}

// renew makes the lease last for its full length from now on and returns that.
func (d *dependencies) renew(id string) (time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lease == nil || d.lease.id != id {
		return 0, fmt.Errorf("%w: it expired or was released; attach again", errNoLease)
	}
	d.lease.expires = time.Now().Add(d.lease.length)
	d.lease.timer.Reset(d.lease.length)
	return d.lease.length, nil
}

// release ends the lease and returns when the instances call our upstreams again.
func (d *dependencies) release(ctx context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lease == nil || d.lease.id != id {
		return fmt.Errorf("%w: it expired or was released before", errNoLease)
	}
	d.revert(ctx)
	return nil
}

// expire ends a lease that nobody renewed.
func (d *dependencies) expire(l *lease) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// The timer may have fired while a renewal or a release held the mutex.
	if d.lease != l || time.Now().Before(l.expires) {
		return
	}
	d.log.Printf("attachment reverted: its lease of %v was not renewed; the run that held it is gone", l.length)
	d.revert(context.Background())
}

// revert puts our upstreams back in force. The caller holds the mutex. It goes
// on if ctx ends: who releases a lease may leave without waiting.
func (d *dependencies) revert(ctx context.Context) {
	if d.lease.timer != nil {
		d.lease.timer.Stop()
	}
	d.lease = nil
	for number, m := range d.members {
		if err := d.admin.push(context.WithoutCancel(ctx), m.admin, pathDependencies, d.own); err != nil {
			d.log.Printf("instance %d is killed, since it did not revert: %v", number, err)
			delete(d.members, number)
			m.evict()
		}
	}
}

func (d *dependencies) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lease != nil {
		d.lease.timer.Stop()
		d.lease = nil
	}
}

// attachment describes the lease in force for /info, without its id: whoever
// knows the id can release it.
func (d *dependencies) attachment() *attachmentState {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lease == nil {
		return nil
	}
	return &attachmentState{
		AgeMs:        time.Since(d.lease.since).Milliseconds(),
		ExpiresMs:    time.Until(d.lease.expires).Milliseconds(),
		Dependencies: maps.Clone(d.lease.urls),
	}
}
