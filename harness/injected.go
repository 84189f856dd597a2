package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Injected is a fault of a session, from plan to lift.
type Injected struct {
	Fault     Fault
	injection Injection
	session   *Session
	c         *Case

	mu       sync.Mutex
	fired    bool
	observed bool
	symptom  string // what a caller met while the fault was armed
	lifted   bool
	timer    *time.Timer
}

// Inject arms a fault for one case and records that it was planned. The fault
// has a lease: if the scenario hangs, it is lifted and recorded as expired.
func (s *Session) Inject(ctx context.Context, c *Case, f Fault) (*Injected, error) {
	return s.inject(ctx, c, f, false)
}

// Trap arms a fault for what must not happen, such as a payment that would be
// made again: no pass asks that it fired, only that it was armed and lifted.
// That such a fault works is for another case of the scenario to show.
func (s *Session) Trap(ctx context.Context, c *Case, f Fault) (*Injected, error) {
	return s.inject(ctx, c, f, true)
}

func (s *Session) inject(ctx context.Context, c *Case, f Fault, trap bool) (*Injected, error) {
	for _, injector := range s.target.Injectors {
		if !injector.Accepts(f) {
			continue
		}
		s.recordFault(c, FaultRecord{Fault: f.String(), Stage: FaultPlanned, Injector: injector.Name(), Trap: trap})
		injection, err := injector.Inject(ctx, f, c.ID)
		if err != nil {
			return nil, fmt.Errorf("inject %s for %s: %w", f, c.ID, err)
		}
		i := &Injected{Fault: f, injection: injection, session: s, c: c}
		lease := s.faultLease()
		i.timer = time.AfterFunc(lease, func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = i.lift(ctx, "its lease of "+lease.String()+" expired")
		})
		s.mu.Lock()
		s.faults = append(s.faults, i)
		s.faultsOf[c] = append(s.faultsOf[c], i)
		s.mu.Unlock()
		return i, nil
	}
	return nil, fmt.Errorf("inject %s: no injector of this run can act on link %q; the profile has to give us that link (dependencies: %s: ...)", f, f.Link, f.Link)
}

// faultLease is how long a fault may stay armed: a scenario that takes longer than
// usual may need one for longer.
func (s *Session) faultLease() time.Duration {
	if s.limit > scenarioLimit {
		return s.limit
	}
	return lease
}

// Fired waits until the fault fired once.
func (i *Injected) Fired(ctx context.Context) error {
	select {
	case <-i.injection.FiredC():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for %s to fire: %w", i.Fault, ctx.Err())
	}
}

// Times returns how often the fault fired so far.
func (i *Injected) Times() int { return i.injection.Fired() }

// Via returns the address a caller has to use to meet the fault, empty for the
// usual one.
func (i *Injected) Via() string { return i.injection.Via() }

// Lift disarms the fault and records how often it fired. Stalled exchanges go on.
func (i *Injected) Lift(ctx context.Context) error { return i.lift(ctx, "") }

func (i *Injected) lift(ctx context.Context, why string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.lifted {
		return nil
	}
	i.timer.Stop()
	err := i.injection.Lift(ctx)
	fired := i.injection.Fired()
	if fired > 0 && !i.fired {
		i.fired = true
		i.session.recordFault(i.c, FaultRecord{Fault: i.Fault.String(), Stage: FaultFired, Fired: fired})
	}
	if fired > 0 && i.symptom != "" {
		i.observe(i.symptom)
	}
	if err != nil {
		return fmt.Errorf("lift %s: %w", i.Fault, err)
	}
	i.lifted = true
	i.session.recordFault(i.c, FaultRecord{Fault: i.Fault.String(), Stage: FaultLifted, Fired: fired, Detail: why})
	return nil
}

// saw records that the fault fired and that its symptom was seen from outside
// the injector, once each.
func (i *Injected) saw(detail string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.fired {
		i.fired = true
		i.session.recordFault(i.c, FaultRecord{Fault: i.Fault.String(), Stage: FaultFired})
	}
	i.observe(detail)
}

func (i *Injected) observe(detail string) {
	if !i.observed {
		i.observed = true
		i.session.recordFault(i.c, FaultRecord{Fault: i.Fault.String(), Stage: FaultObserved, Detail: detail})
	}
}

// met keeps a symptom that a caller met. Whether the fault caused it is known
// once the injector's count is final, at the latest when the fault is lifted.
func (i *Injected) met(detail string) {
	if i.injection.Fired() > 0 {
		i.saw(detail)
		return
	}
	i.mu.Lock()
	i.symptom = detail
	i.mu.Unlock()
}

func (s *Session) recordFault(c *Case, r FaultRecord) {
	s.rec.Append(Event{Type: FaultEvent, Case: caseID(c), Fault: &r})
}

// sawCall records an exchange and, where a fault acted on it, the proof: on a
// dependency link the journal sees what the target was sent.
func (s *Session) sawCall(c *Case, call Call) {
	s.mu.Lock()
	over := s.over
	s.told++
	if call.Link == LinkClient && call.Forwarded > 0 && (call.Outcome == CallPeerLeft || call.Outcome == CallPart) {
		s.hungUp[c.ID]++
	}
	s.mu.Unlock()
	if over {
		s.run.late(c.ID, call)
		return
	}
	told := Event{Type: CallEvent, Case: c.ID, Call: &call}
	if s.sparse {
		told = sparse(told)
	}
	s.rec.Append(told)
	if call.Fault == "" || (call.Link == LinkClient && call.Outcome != CallDiscarded) {
		return
	}
	for _, i := range s.injectedFor(c) {
		if i.Fault.String() == call.Fault {
			i.saw(fmt.Sprintf("%s call %d ended: %s, status %d", call.Link, call.Index, call.Outcome, call.Status))
		}
	}
}

// LinkClient is the link between caller and target.
const LinkClient = "client"

// observeAtCaller proves faults on the client link by what the caller met.
func (s *Session) observeAtCaller(c *Case, a Attempt, r Result, took time.Duration) {
	for _, i := range s.injectedFor(c) {
		if i.Fault.Link != LinkClient {
			continue
		}
		switch i.Fault.Action.Name {
		case ActReset, ActClose, ActStall, ActTruncate, ActGarbage:
			if r.Err != nil && !errors.Is(r.Err, ErrNotSent) {
				i.met("the caller saw: " + r.Err.Error())
			}
		case ActStatus:
			if r.Err == nil && r.Answer.Status == i.Fault.Action.Status {
				i.met(fmt.Sprintf("the caller saw status %d", r.Answer.Status))
			}
		case ActDelay, ActLatency:
			if took >= i.Fault.Action.Delay.Std() {
				i.met(fmt.Sprintf("the caller waited %s", took.Round(time.Millisecond)))
			}
		}
	}
}

func (s *Session) injectedFor(c *Case) []*Injected {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faultsOf[c])
}

// via returns the address of the first armed fault of the case that callers
// must pass through.
func (s *Session) via(c *Case) string {
	for _, i := range s.injectedFor(c) {
		i.mu.Lock()
		lifted := i.lifted
		i.mu.Unlock()
		if v := i.Via(); v != "" && !lifted {
			return v
		}
	}
	return ""
}
