package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"strings"
)

// The largest bodies a link carries. They are held in memory: a cut acts on a
// message that is there in full.
const (
	maxRequestBody = 16 << 20
	maxAnswerBody  = 64 << 20
)

var errBodyTooLarge = errors.New("the body is larger than the link carries")

// framing says how a body is delimited.
type framing struct {
	length  int64 // of Content-Length, -1 without one
	chunked bool
}

// framing reads the fields that delimit the body. Anything two parsers could
// read in two ways is an error.
func (h head) framing() (framing, error) {
	f := framing{length: -1}
	for _, field := range h.fields {
		switch {
		case field.is("Transfer-Encoding"):
			if f.chunked || !strings.EqualFold(field.value, "chunked") {
				return f, fmt.Errorf("%w: transfer coding %q is not supported, only chunked is", errMalformed, field.value)
			}
			f.chunked = true
		case field.is("Content-Length"):
			n, err := strconv.ParseUint(field.value, 10, 63)
			if err != nil || (f.length >= 0 && f.length != int64(n)) {
				return f, fmt.Errorf("%w: content length %q is no number or contradicts another one", errMalformed, field.value)
			}
			f.length = int64(n)
		}
	}
	if f.chunked && f.length >= 0 {
		return f, fmt.Errorf("%w: both a transfer coding and a content length", errMalformed)
	}
	return f, nil
}

// none reports whether no field announces a body.
func (f framing) none() bool { return !f.chunked && f.length < 0 }

// read returns the body with its framing removed. It fails with
// [errBodyTooLarge] beyond limit bytes. Of a body with a length that breaks off
// it returns what there is.
func (f framing) read(br *bufio.Reader, limit int64) ([]byte, error) {
	switch {
	case f.chunked:
		body, err := readUpTo(httputil.NewChunkedReader(br), limit)
		if err == nil {
			return body, skipTrailers(br)
		}
		// What neither the peer's leaving nor its size explains is bad chunking.
		if network := net.Error(nil); !errors.As(err, &network) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errBodyTooLarge) {
			err = fmt.Errorf("%w: %w", errMalformed, err)
		}
		return nil, err
	case f.length > limit:
		return nil, errBodyTooLarge
	case f.length > 0:
		body := make([]byte, f.length)
		if n, err := io.ReadFull(br, body); err != nil {
			return body[:n], fmt.Errorf("read a body: %d of %d bytes: %w", n, f.length, err)
		}
		return body, nil
	}
	return nil, nil
}

func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read a body: %w", err)
	}
	if int64(len(body)) > limit {
		return nil, errBodyTooLarge
	}
	return body, nil
}

// skipTrailers reads the lines after the last chunk up to the empty one.
func skipTrailers(br *bufio.Reader) error {
	for seen := 0; seen <= maxHead; {
		line, err := br.ReadSlice('\n')
		seen += len(line)
		if err != nil {
			return fmt.Errorf("read trailers: %w", err)
		}
		if len(strings.TrimRight(string(line), "\r\n")) == 0 {
			return nil
		}
	}
	return errHeadTooLarge
}
