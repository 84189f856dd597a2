package peer_test

import (
	"context"
	"net"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// Who waits before a full door that is told is a connection once he left, and so
// is who still waits at the end.
func TestDoorFullTells(t *testing.T) {
	o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorFull, Told: true}})
	left, leave := context.WithCancel(t.Context())
	defer leave()
	for _, ctx := range []context.Context{left, t.Context()} {
		go func() {
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", o.host())
			if err == nil {
				conn.Close()
			}
		}()
	}
	eventually(t, func() bool { return o.Knocks() == 2 })
	leave()
	_, conns := o.until(t, 0, 1)
	if k := conns[0]; k.By != harness.ByCaller || k.Requests != 0 || k.Opened <= 0 || k.Closed < k.Opened || k.Problem == "" {
		t.Errorf("who left was told as %+v", k)
	}
	o.close(t)
	_, conns = o.until(t, 0, 2)
	if k := conns[1]; k.By != harness.ByPeer || k.Closed < conns[0].Closed || k.ID == conns[0].ID {
		t.Errorf("who stayed was told as %+v", k)
	}
}
