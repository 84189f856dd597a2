package peer

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// Shared opens peers that share one address.
type Shared struct {
	host *host
	url  string
}

// Listen opens the address, 127.0.0.1:0 if it is empty, until [Shared.Close].
func Listen(ctx context.Context, cfg Config, address string) (*Shared, error) {
	if address == "" {
		address = loopback
	}
	listener, err := listen(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("open the address of scripted peers: %w", err)
	}
	s := &Shared{host: newHost(cfg), url: "http://" + listener.Addr().String()}
	s.host.running.Go(func() { s.host.accept(listener, "") })
	return s, nil
}

// URL returns the root of all peers, without a slash at the end.
func (s *Shared) URL() string { return s.url }

// Open starts a peer for requests whose path holds the item. Its door has to be
// open: it is the door of the others as well.
func (s *Shared) Open(_ context.Context, item string, script harness.Script, see func(harness.Event)) (harness.Peer, error) {
	if script.Door.Kind != harness.DoorOpen {
		return nil, fmt.Errorf("open a peer behind a door %s: %s is the address of other cases too, so its door stays open; use the shim's route", script.Door, s.url)
	}
	p, err := newPeer(script, see)
	if err != nil {
		return nil, fmt.Errorf("open a peer: %w", err)
	}
	p.url, p.wait = s.url, p.parts.Wait
	p.end = func() { s.host.forget(item, p) }
	if err := s.host.add(item, p); err != nil {
		return nil, fmt.Errorf("open a peer at %s: %w", s.url, err)
	}
	return p, nil
}

// Close ends the address with all its peers and connections.
func (s *Shared) Close(ctx context.Context) error {
	s.host.close()
	return within(ctx, "the address "+s.url, s.host.running.Wait)
}
