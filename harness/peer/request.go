package peer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"strings"
)

// What a request may have at most, so that a client that never ends one cannot
// take the memory of the run.
const (
	maxHead = 1 << 20
	maxBody = 16 << 20
)

var (
	errMalformed = errors.New("malformed request")
	errTooLarge  = errors.New("the request is larger than the peer reads")
)

// request is one request as it came.
type request struct {
	method  string
	target  string      // as sent, with the query
	lines   [][2]string // in order and spelling; values without the blanks around them
	last    bool        // the caller wants the connection closed after it
	length  int64       // of the announced body
	chunked bool
	proceed bool // the caller waits for a 100 before it sends the body
	// Of the body, once it was read:
	bytes int64
	sum   string
}

// readHead reads a request up to its body. With an error and nil the caller left
// before it had sent a byte of one.
func readHead(br *bufio.Reader) (*request, error) {
	var r *request
	for size := 0; ; {
		line, err := br.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			line = bytes.Clone(line)
			for errors.Is(err, bufio.ErrBufferFull) && size+len(line) <= maxHead {
				var more []byte
				more, err = br.ReadSlice('\n')
				line = append(line, more...)
			}
		}
		size += len(line)
		if size > maxHead {
			return &request{}, fmt.Errorf("%w: its head has more than %d bytes", errTooLarge, maxHead)
		}
		if err != nil {
			if r == nil && len(line) == 0 {
				return nil, err
			}
			return &request{}, fmt.Errorf("%d bytes of its head: %w", size, err)
		}
		text := string(bytes.TrimSuffix(line[:len(line)-1], []byte("\r")))
		switch {
		case r == nil && text == "": // empty lines before a request are skipped, as RFC 9112 asks
		case r == nil:
			if r, err = parseStart(text); err != nil {
				return r, err
			}
		case text == "":
			return r, r.parseFraming()
		default:
			if err := r.addLine(text); err != nil {
				return r, err
			}
		}
	}
}

func parseStart(line string) (*request, error) {
	method, rest, _ := strings.Cut(line, " ")
	target, version, found := strings.Cut(rest, " ")
	r := &request{method: method, target: target}
	if !found || !isToken(method) || target == "" || (version != "HTTP/1.1" && version != "HTTP/1.0") {
		return r, fmt.Errorf("%w: the request line is not of the form METHOD TARGET HTTP/1.1", errMalformed)
	}
	r.last = version == "HTTP/1.0"
	return r, nil
}

// addLine takes one header line. Values are not judged: what a client sends in
// them is what a judge wants to see.
func (r *request) addLine(text string) error {
	if text[0] == ' ' || text[0] == '\t' {
		return fmt.Errorf("%w: header line %d continues the one before it", errMalformed, len(r.lines)+1)
	}
	name, value, found := strings.Cut(text, ":")
	if !found || !isToken(name) {
		return fmt.Errorf("%w: header line %d has no valid name before a colon", errMalformed, len(r.lines)+1)
	}
	r.lines = append(r.lines, [2]string{name, strings.Trim(value, " \t")})
	return nil
}

// parseFraming finds out where the body ends. What two parsers could read in two
// ways is an error.
func (r *request) parseFraming() error {
	announced := false
	for _, line := range r.lines {
		switch value := line[1]; strings.ToLower(line[0]) {
		case "transfer-encoding":
			if r.chunked || !strings.EqualFold(value, "chunked") {
				return fmt.Errorf("%w: transfer coding %q is not supported, only chunked is", errMalformed, value)
			}
			r.chunked = true
		case "content-length":
			n, err := strconv.ParseUint(value, 10, 63)
			if err != nil || (announced && r.length != int64(n)) {
				return fmt.Errorf("%w: content length %q is no number or contradicts another one", errMalformed, value)
			}
			announced, r.length = true, int64(n)
		case "connection":
			r.last = r.last && !hasToken(value, "keep-alive") || hasToken(value, "close")
		case "expect":
			r.proceed = hasToken(value, "100-continue")
		}
	}
	switch {
	case r.chunked && announced:
		return fmt.Errorf("%w: both a transfer coding and a content length", errMalformed)
	case r.length > maxBody:
		return fmt.Errorf("%w: its body has %d bytes, more than %d", errTooLarge, r.length, maxBody)
	}
	r.proceed = r.proceed && (r.chunked || r.length > 0)
	return nil
}

// readBody reads the body and keeps its size and SHA-256.
func (r *request) readBody(br *bufio.Reader) error {
	hash := sha256.New()
	defer func() { r.sum = hex.EncodeToString(hash.Sum(nil)) }()
	var body io.Reader = io.LimitReader(br, r.length)
	if r.chunked {
		body = io.LimitReader(httputil.NewChunkedReader(br), maxBody+1)
	} else if r.length == 0 {
		return nil
	}
	var err error
	r.bytes, err = io.Copy(hash, body)
	network := net.Error(nil)
	switch {
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.As(err, &network): // neither its end nor the network explains it
		return fmt.Errorf("%w: %w after %d bytes of its body", errMalformed, err, r.bytes)
	case err != nil:
		return fmt.Errorf("%d bytes of its body: %w", r.bytes, err)
	case r.bytes > maxBody:
		return fmt.Errorf("%w: its body has more than %d bytes", errTooLarge, maxBody)
	case r.chunked:
		return skipTrailers(br)
	case r.bytes < r.length:
		return fmt.Errorf("%d of %d bytes of its body: %w", r.bytes, r.length, io.ErrUnexpectedEOF)
	}
	return nil
}

// skipTrailers reads the lines after the last chunk up to the empty one.
func skipTrailers(br *bufio.Reader) error {
	for seen := 0; seen <= maxHead; {
		line, err := br.ReadSlice('\n')
		seen += len(line)
		if err != nil {
			return fmt.Errorf("its trailers: %w", err)
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return nil
		}
	}
	return fmt.Errorf("%w: its trailers have more than %d bytes", errTooLarge, maxHead)
}

// value returns the values of all lines with that name.
func (r *request) value(name string) string {
	var values []string
	for _, line := range r.lines {
		if strings.EqualFold(line[0], name) {
			values = append(values, line[1])
		}
	}
	return strings.Join(values, ", ")
}

func hasToken(list, token string) bool {
	for t := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(t), token) {
			return true
		}
	}
	return false
}

// isToken reports whether s is a method or header name.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
