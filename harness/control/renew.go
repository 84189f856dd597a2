package control

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// keep renews the lease three times in its length until it is stopped or lost,
// so that two renewals may fail before anything is.
func (a *Attachment) keep(ctx context.Context, granted time.Time) {
	defer close(a.ended)
	tick := time.NewTicker(a.length / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		err := a.renew(ctx)
		switch {
		case err == nil:
			granted = asked
		case ctx.Err() != nil:
			return // released meanwhile
		case refusedWith(err, http.StatusNotFound), time.Since(granted) >= a.length:
			a.err = fmt.Errorf("the lease %s was lost, and calls may have passed by unseen since: %w", a.url, err)
			close(a.lost)
			return
		}
	}
}

func (a *Attachment) renew(ctx context.Context) error {
	limit := min(a.length/3, requestLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v", limit))
	defer cancel()
	return call(ctx, http.MethodPost, a.url+"/renew", struct{}{}, nil)
}
