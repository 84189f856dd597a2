package wire

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// whileCalled returns a context that ends when the caller leaves, on a link that
// passes that on: the connection to the upstream then ends as well.
func (x *exchange) whileCalled() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(x.link.ctx)
	if !x.link.cfg.PassHangUp {
		return ctx, cancel
	}
	left := x.caller.left
	go func() {
		select {
		case <-left:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// passPart sends on what there is of a request whose caller left in the middle
// of it, and ends that connection too. Nobody waits for an answer.
func (l *Link) passPart(c *caller, req *request) {
	x := l.begin(c, req)
	x.armed = nil // a fault waits for a request that is complete
	outcome := harness.CallPart
	if err := l.upstream().part(l.ctx, req); err != nil {
		outcome = harness.CallPeerLeft
	} else {
		x.call.Forwarded = l.now()
	}
	x.end(outcome)
}

// part implements [origin].
func (n *network) part(ctx context.Context, r *request) error {
	if n.err != nil {
		return n.err
	}
	conn, err := n.dial(ctx)
	if err != nil {
		return fmt.Errorf("connect to upstream %s: %w", n.address, err)
	}
	_, err = conn.Write(r.encode(n.prefix, n.host, n.caseHeader))
	if closed := conn.Close(); err == nil {
		err = closed
	}
	return err
}

// part implements [origin]: a handler is only given requests that are complete.
func (handler) part(context.Context, *request) error {
	return fmt.Errorf("a handler takes no part of a request")
}
