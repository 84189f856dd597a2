package exchange

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
)

// Class says why there is no answer.
type Class string

// The classes.
const (
	Connect    Class = "connect"    // no usable connection: nothing was sent
	Untrusted  Class = "untrusted"  // the peer could not prove who it is: nothing was sent
	Reset      Class = "reset"      // the connection died, or what came back was no answer
	Timeout    Class = "timeout"    // no complete answer within the time limit
	Unreadable Class = "unreadable" // an answer that cannot be trusted: too long, or of unknown length
)

// broken names a send that ended without an answer: err is what net/http says,
// stopped why we ended it, if it was us.
func broken(err, stopped error, connected bool) (Class, error) {
	untrusted, system := (*tls.CertificateVerificationError)(nil), (*net.OpError)(nil)
	switch {
	case errors.Is(err, errUnreadable):
		return Unreadable, err
	case !connected && errors.As(err, &untrusted):
		return Untrusted, &quiet{fmt.Sprintf("the peer's certificate cannot be verified: %T", untrusted.Err), err}
	case !connected && stopped != nil:
		return Connect, fmt.Errorf("connect: %w", stopped)
	case !connected:
		return Connect, err
	case errors.Is(stopped, errResend):
		return Reset, stopped
	case stopped != nil:
		return Timeout, stopped
	case errors.As(err, &system):
		return Reset, &quiet{system.Error(), err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Reset, &quiet{"the connection ended before the answer did", err}
	}
	return Reset, &quiet{"the connection broke, or what came back is not HTTP", err}
}

// quiet is an error that shows a text of ours instead of its own, which may quote
// what the peer sent. It is still the same error to errors.Is and errors.As.
type quiet struct {
	text string
	err  error
}

func (q *quiet) Error() string { return q.text }
func (q *quiet) Unwrap() error { return q.err }
