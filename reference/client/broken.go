package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
)

// broken names an exchange that ended without an answer: err is what net/http
// says, stopped why we ended it, if it was us.
func broken(err, stopped error, connected bool) (Class, error) {
	untrusted := (*tls.CertificateVerificationError)(nil)
	switch {
	case !connected && errors.As(err, &untrusted):
		return Untrusted, &quiet{distrust(untrusted), err}
	case !connected && stopped != nil:
		return Connect, fmt.Errorf("connect: %w", stopped)
	case !connected:
		return Connect, err
	case errors.Is(stopped, errResend):
		return Reset, stopped
	case stopped != nil:
		return Timeout, stopped
	}
	return Reset, &quiet{breakage(err), err}
}

// quiet is an error that shows a text of ours instead of its own, which may quote
// what the peer sent. It is still the same error to errors.Is and errors.As.
type quiet struct {
	text string
	err  error
}

func (q *quiet) Error() string { return q.text }
func (q *quiet) Unwrap() error { return q.err }

func breakage(err error) string {
	system := (*net.OpError)(nil)
	switch {
	case errors.As(err, &system):
		return system.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended before the answer did"
	}
	return "the connection broke, or what came back is not HTTP"
}

func distrust(err error) string {
	var stranger x509.UnknownAuthorityError
	var name x509.HostnameError
	why := "it is not valid"
	switch {
	case errors.As(err, &stranger):
		why = "an authority signed it that is not trusted here"
	case errors.As(err, &name):
		why = "it is for another name"
	}
	return "the peer's certificate cannot be verified: " + why
}
