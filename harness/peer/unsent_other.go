//go:build !linux && !darwin

package peer

import (
	"net"
	"time"
)

// unsent cannot look into the send queue here. It gives loopback a moment, which
// is enough for small answers and no guarantee.
func unsent(*net.TCPConn) (int, error) {
	const moment = 20 * time.Millisecond
	<-time.After(moment)
	return 0, nil
}
