package stack

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"
	"sync"
	"time"
)

// Settings are what the control port changes in all instances beside the
// addresses that they call.
type Settings struct {
	ClockOffset int64           `json:"clockOffset"` // seconds that the clock is ahead
	Flags       map[string]bool `json:"flags"`       // those that are not named keep their state
	Store       StoreLink       `json:"store"`
}

// settings decides what holds in the instances. As with dependencies, one mutex
// covers both the decision and telling it, so that no instance can be left with
// an older one.
type settings struct {
	admin *adminClient
	log   *log.Logger

	mu      sync.Mutex
	members map[int]member // ready instances by number
	clock   knob[int64]
	flags   map[string]*knob[bool]
	store   knob[StoreLink]
}

// knob is one setting: what holds now, and what holds again when its lease is
// over.
type knob[T any] struct {
	now, rest T
	lease     *time.Timer // nil while nothing has to revert
	until     time.Time
}

func newSettings(push time.Duration, logger *log.Logger) *settings {
	flags := map[string]*knob[bool]{}
	for _, name := range flagNames() {
		flags[name] = &knob[bool]{now: true, rest: true}
	}
	open := StoreLink{Mode: linkOpen}
	return &settings{admin: newAdminClient(push), log: logger, members: map[int]member{},
		flags: flags, store: knob[StoreLink]{now: open, rest: open}}
}

// current returns what is in force.
func (s *settings) current() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inForce()
}

func (s *settings) inForce() Settings {
	flags := map[string]bool{}
	for name, k := range s.flags {
		flags[name] = k.now
	}
	return Settings{ClockOffset: s.clock.now, Flags: flags, Store: s.store.now}
}

// join tells a started instance what is in force and includes it from then on.
func (s *settings) join(ctx context.Context, number int, m member) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.admin.push(ctx, m.admin, pathSettings, s.inForce()); err != nil {
		return err
	}
	s.members[number] = m
	return nil
}

// leave forgets an instance that is gone or about to go.
func (s *settings) leave(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.members, number)
}

// turn sets a knob in every instance, for good or, with a lease, until that is
// over. On an error nothing changed.
func turn[T any](ctx context.Context, s *settings, k *knob[T], name string, to T, lease time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, rest := k.now, k.rest
	if k.now = to; lease == 0 {
		k.rest = to
	}
	for number, m := range s.members {
		if err := s.admin.push(ctx, m.admin, pathSettings, s.inForce()); err != nil {
			k.now, k.rest = was, rest
			s.enforce(ctx)
			return fmt.Errorf("set the %s of instance %d: %w; it is as it was, try again", name, number, err)
		}
	}
	if k.lease != nil {
		k.lease.Stop()
		k.lease = nil
	}
	if lease > 0 {
		k.until = time.Now().Add(lease)
		k.lease = time.AfterFunc(lease, func() { expire(s, k, name) })
	}
	return nil
}

// expire puts back what nobody put back in time.
func expire[T any](s *settings, k *knob[T], name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The timer may have fired while another order held the mutex.
	if k.lease == nil || time.Now().Before(k.until) {
		return
	}
	s.log.Printf("the %s is put back: its lease is over, and whoever set it is gone", name)
	k.now, k.lease = k.rest, nil
	s.enforce(context.Background())
}

// enforce tells every instance what is in force. The caller holds the mutex. An
// instance that cannot be told is killed, since its successor starts right.
func (s *settings) enforce(ctx context.Context) {
	for number, m := range s.members {
		if err := s.admin.push(context.WithoutCancel(ctx), m.admin, pathSettings, s.inForce()); err != nil {
			s.log.Printf("instance %d is killed, since its settings did not revert: %v", number, err)
			delete(s.members, number)
			m.evict()
		}
	}
}

// admins returns the admin listeners of the instances that are ready, in order.
func (s *settings) admins() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var admins []string
	for _, number := range slices.Sorted(maps.Keys(s.members)) {
		admins = append(admins, s.members[number].admin)
	}
	return admins
}

func (s *settings) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.flags {
		stopLease(k)
	}
	stopLease(&s.clock)
	stopLease(&s.store)
}

func stopLease[T any](k *knob[T]) {
	if k.lease != nil {
		k.lease.Stop()
		k.lease = nil
	}
}
