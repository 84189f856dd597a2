package limits

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/oncecheck/oncecheck/harness"
)

// sender is a [harness.Sender] and [harness.Admitter] within limits.
type sender struct {
	next   harness.Sender
	limits harness.Limits
	rate   *rate.Limiter // nil without a limit
	slots  *slots        // nil without a limit

	mu   sync.Mutex
	sent int // requests let through so far
}

// New returns next within the limits: next itself where there are none.
func New(next harness.Sender, l harness.Limits) harness.Sender {
	if l == (harness.Limits{}) {
		return next
	}
	s := &sender{next: next, limits: l}
	if l.Rate > 0 {
		// A tenth of a second's worth may come at once: enough that timers need not
		// be exact, too little to be felt.
		s.rate = rate.NewLimiter(rate.Limit(l.Rate), max(1, int(math.Ceil(l.Rate/10))))
	}
	if l.Concurrency > 0 {
		s.slots = &slots{free: l.Concurrency}
	}
	return s
}

// admission is what a context carries whose sends were let through already.
type admission struct{ left atomic.Int64 }

type admissionKey struct{}

// Send implements [harness.Sender]. What was not let through before waits here.
func (s *sender) Send(ctx context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	if through, ok := ctx.Value(admissionKey{}).(*admission); ok && through.left.Add(-1) >= 0 {
		return s.next.Send(ctx, a)
	}
	_, release, err := s.Admit(ctx, 1, false)
	if err != nil {
		return harness.Request{}, harness.Answer{}, err
	}
	defer release()
	return s.next.Send(ctx, a)
}

// Admit implements [harness.Admitter].
func (s *sender) Admit(ctx context.Context, n int, urgent bool) (context.Context, func(), error) {
	if most := s.limits.Concurrency; most > 0 && n > most {
		return nil, nil, withheld(fmt.Errorf("%d requests at once are more than the target bears (limits.concurrency: %d); raise it, or leave the scenario out with --skip", n, most))
	}
	if err := s.spend(n); err != nil {
		return nil, nil, err
	}
	if err := s.slots.acquire(ctx, n, urgent); err != nil {
		s.unspend(n)
		return nil, nil, withheld(fmt.Errorf("its time was over before %d of limits.concurrency (%d) were free; raise it: %w", n, s.limits.Concurrency, err))
	}
	if err := s.pace(ctx, n); err != nil {
		s.slots.release(n)
		s.unspend(n)
		return nil, nil, withheld(fmt.Errorf("its time is over before limits.rate (%g/s) lets it through; raise it: %w", s.limits.Rate, err))
	}
	through := &admission{}
	through.left.Store(int64(n))
	var once sync.Once
	return context.WithValue(ctx, admissionKey{}, through), func() { once.Do(func() { s.slots.release(n) }) }, nil
}

// spend takes n requests from the run's budget, all or none.
func (s *sender) spend(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if most := s.limits.Requests; most > 0 && s.sent+n > most {
		return withheld(fmt.Errorf("the run's budget of %d requests is used up (limits.requests)", most))
	}
	s.sent += n
	return nil
}

// unspend gives back what was never sent.
func (s *sender) unspend(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent -= n
}

// pace takes n tokens, no more at a time than the bucket holds.
func (s *sender) pace(ctx context.Context, n int) error {
	if s.rate == nil {
		return nil
	}
	for n > 0 {
		now := min(n, s.rate.Burst())
		if err := s.rate.WaitN(ctx, now); err != nil {
			return err
		}
		n -= now
	}
	return nil
}

func withheld(err error) error {
	return fmt.Errorf("%w: %w: %w", harness.ErrNotSent, harness.ErrWithheld, err)
}
