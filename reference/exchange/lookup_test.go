package exchange

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// A resolver that stays silent is asked for as long as the send may connect, and
// nobody listens to it afterwards.
func TestTheLookupEndsWithTheSend(t *testing.T) {
	before := goleak.IgnoreCurrent()
	silent, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	resolver := Resolver(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", silent.LocalAddr().String())
	})
	resolver.PreferGo = true
	l := limits()
	l.Limit = func(Class) time.Duration { return 50 * time.Millisecond }
	s := newSender(t, (&net.Dialer{Resolver: resolver}).DialContext)
	got := s.Send(t.Context(), request(t, "GET", "http://peer.oncecheck.test/"), nil, l)
	if got.Class != Connect || !errors.Is(got.Err, ErrTimeLimit) {
		t.Errorf("got %+v, want the limit for connecting", got)
	}
	if n, _, err := silent.ReadFrom(make([]byte, 512)); err != nil || n == 0 {
		t.Errorf("nobody asked: %v", err)
	}
	goleak.VerifyNone(t, before) // it gives up long before the resolver would
}
