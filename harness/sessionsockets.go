package harness

import (
	"context"
	"fmt"
)

// MarkSockets tells how many sockets the client under test held at that moment,
// in count.sockets, as its own process says.
const MarkSockets = "sockets"

// Sockets asks the client under test how many sockets it holds, and records
// it for the case.
func (s *Session) Sockets(ctx context.Context, c *Case) error {
	counter, ok := s.target.Client.(SocketCounter)
	if !ok {
		return s.notOffered("count the client's sockets", "client.shim, of a shim with the capability "+string(CapSocketStats))
	}
	n, err := counter.Sockets(ctx)
	if err != nil {
		return s.unproven(fmt.Errorf("count the client's sockets: %w", err))
	}
	s.Note(c, MarkSockets, fmt.Sprintf("the client holds %d sockets", n), map[string]int64{"sockets": int64(n)})
	return nil
}
