package harness

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// What comes back after a restart may be another service: started by a script
// without what the first one had in its environment, say. Every scenario that
// restarts it would then be judged by a target that cannot sell.

const (
	sellsAgainIn = 3 * time.Second // a target that answers may still have to find its own systems
	sellsTick    = 200 * time.Millisecond
)

// andSells tries a control and then a plain checkout.
func (s *Session) andSells(try func(context.Context, *Case) (string, error)) func(context.Context, *Case) (string, error) {
	return func(ctx context.Context, c *Case) (string, error) {
		shown, err := try(ctx, c)
		if err == nil {
			err = s.stillSells(ctx, c)
		}
		return shown, err
	}
}

// soldAfter reports whether a plain checkout was made after the control was tried:
// the next one is to meet nothing that is still at work.
func soldAfter(cl claim) bool {
	return slices.Contains([]string{string(CapProcessPause), string(CapProcessKill), string(CapProcessControl)}, cl.name)
}

// stillSells makes a plain checkout, each time under another key: a dialect may
// keep a failure under its own.
func (s *Session) stillSells(ctx context.Context, c *Case) error {
	if !checksOut(s.target.Info.Capabilities) {
		return nil
	}
	began := time.Now()
	for n := 1; ctx.Err() == nil; n++ {
		r, err := s.ended(ctx, s.Case(fmt.Sprintf("%s-sells-%d", c.Label, n)), Attempt{Principal: s.DefaultPrincipal()})
		problem := ""
		switch {
		case err != nil:
			problem = err.Error()
		case r.Class != ClassSuccess:
			problem = "was answered " + r.describe()
		default:
			return nil
		}
		if time.Since(began) > sellsAgainIn {
			return fmt.Errorf("after it a plain checkout %s; does it start the service with the same configuration?", problem)
		}
		_ = s.Watch(ctx, sellsTick) // the loop asks for the context
	}
	return nil // the control did what it is to do; whether it sells was not tried in time
}
