package scenarios

import (
	"context"
	"errors"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// payer sends payment data by every path that a request can take through a target:
// what is logged is mostly what went wrong, and each path goes wrong in a place of
// its own.
type payer struct {
	s      *harness.Session
	me     string
	bought *harness.Case

	mu    sync.Mutex
	cases []*harness.Case
}

func (p *payer) pay(ctx context.Context) error {
	field := p.s.Target().Fields[harness.FieldPayment]
	token := harness.Attempt{Principal: p.me, Set: map[string]any{field: p.s.Canary(harness.CanaryToken)}}
	if err := errors.Join(p.answered(ctx, token), p.refused(ctx, token, field)); err != nil || !offers(p.s.Target(), harness.CapDependencies) {
		return err
	}
	return p.hindered(ctx, token)
}

// follow makes the request, and reads its status if it has one.
func (p *payer) follow(ctx context.Context, c *harness.Case, a harness.Attempt) error {
	p.watch(c)
	r := p.s.Send(ctx, c, a)
	if r.Err == nil && r.Answer.RequestID != "" && offers(p.s.Target(), harness.CapStatus) {
		read(ctx, p.s, c, p.me, r.Answer.RequestID)
	}
	return r.Err
}

// watch has the log read for the case.
func (p *payer) watch(c *harness.Case) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cases = append(p.cases, c)
}

// answered makes a checkout, and one that conflicts with it.
func (p *payer) answered(ctx context.Context, token harness.Attempt) error {
	other := token
	other.Vars = map[string]any{"amount": p.bought.Amount + 1}
	return errors.Join(p.follow(ctx, p.bought, token), p.follow(ctx, p.bought, other))
}

// refused makes the requests that come no further than to be read.
func (p *payer) refused(ctx context.Context, token harness.Attempt, field string) error {
	card, cvc := p.s.Canary(harness.CanaryCard), p.s.Canary(harness.CanaryCVC)
	beside := map[string]any{"cardNumber": card, "cvc": cvc}
	err := errors.Join(
		p.follow(ctx, p.s.Case("card-as-token"), harness.Attempt{Principal: p.me, Set: map[string]any{field: card}}),
		p.follow(ctx, p.s.Case("card-beside-token"), harness.Attempt{Principal: p.me, Set: beside}),
		p.follow(ctx, p.s.Case("card-as-details"), harness.Attempt{Principal: p.me, Unset: []string{field}, Set: map[string]any{"card": map[string]any{"number": card, "cvc": cvc, "expMonth": 12, "expYear": 2031}}}),
		p.follow(ctx, p.s.Case("card-unreadable"), harness.Attempt{Principal: p.me, Set: beside, Spelling: harness.SpeltTruncated}),
	)
	anonymous, keyless := token, token
	anonymous.Principal, keyless.Keys = "", []string{}
	err = errors.Join(err, p.follow(ctx, p.s.Case("anonymous"), anonymous), p.follow(ctx, p.s.Case("no-key"), keyless))
	if d := p.s.Target().Dialect; d.KeyMax > 0 {
		overlong := token
		overlong.Keys = []string{d.KeyLine(unusedKey(p.s, "too-long", d.KeyMax+1))}
		err = errors.Join(err, p.follow(ctx, p.s.Case("overlong-key"), overlong))
	}
	return err
}

// hindered makes the requests whose payment does not go well.
func (p *payer) hindered(ctx context.Context, token harness.Attempt) error {
	pay, err := paying(p.s)
	if err != nil {
		return err
	}
	while := func(label string, status int) func() error {
		return func() error {
			c := p.s.Case(label)
			down, err := p.s.Inject(ctx, c, pay.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: status}))
			if err != nil {
				return err
			}
			return errors.Join(p.follow(ctx, c, token), down.Lift(ctx))
		}
	}
	drives := []func() error{
		while("declined", 402), while("failing", 503),
		func() error { // left open, where a target does that
			c := p.s.Case("open")
			armed, err := losing(ctx, p.s, c, pay, harness.CutAfterCommit)
			if err != nil {
				return err
			}
			return errors.Join(p.follow(ctx, c, token), liftAll(ctx, armed))
		},
		func() error {
			c := p.s.Case("in-progress")
			p.watch(c)
			return whileHeld(ctx, p.s, c, token, func(ctx context.Context, c *harness.Case) { impatient(ctx, p.s, c, token) })
		},
	}
	return harness.Parallel(len(drives), func(i int) error { return drives[i]() })
}
