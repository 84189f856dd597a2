package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// declining is how long a kill waits for a decline to be answered. With what went
// by before, it still comes within the pause of the request that waits to pay again.
const declining = 500 * time.Millisecond

// declinedCase is a request that was declined just before its process is killed.
type declinedCase struct {
	c *harness.Case
	a harness.Attempt
	r harness.Result
}

// beDeclined has a request declined, where that can be had and be read afterwards.
func beDeclined(ctx context.Context, s *harness.Session) (d declinedCase) {
	if !offers(s.Target(), harness.CapDecline) || !offers(s.Target(), harness.CapStatus) {
		return d
	}
	d.c, d.a = s.Case("declined"), harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variantDeclined}
	ctx, cancel := context.WithTimeout(ctx, declining)
	defer cancel()
	d.r = s.Send(ctx, d.c, d.a)
	return d
}

// askAgain reads and repeats what was declined.
func (d declinedCase) askAgain(ctx context.Context, s *harness.Session) {
	if d.c == nil || d.r.Err != nil || d.r.Answer.RequestID == "" {
		return
	}
	read(ctx, s, d.c, d.a.Principal, d.r.Answer.RequestID)
	s.Send(ctx, d.c, d.a)
}
