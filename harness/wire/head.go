package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// maxHead bounds a message head, so that a peer that never ends its head cannot
// take the memory of the run.
const maxHead = 1 << 20

var (
	errHeadTooLarge = fmt.Errorf("the head is larger than %d bytes", maxHead)
	errMalformed    = errors.New("malformed head")
)

// field is one header field as it arrived.
type field struct {
	raw   []byte // its line without the line end; folded lines joined by CRLF
	name  string // as received
	value string // without the blanks around it; folded lines joined by one space
}

func (f field) is(name string) bool { return strings.EqualFold(f.name, name) }

// head is the start line and the fields of a message, in order.
type head struct {
	start  string
	fields []field
}

// parseHead splits a head at its lines, which may end in CRLF or LF. Values are
// not judged: control bytes and bytes above 0x7f are what some callers have to
// send. It refuses only what would change its meaning when it is written again.
// With an error it returns what it understood until then.
func parseHead(raw []byte) (head, error) {
	var h head
	for n, line := range bytes.Split(raw, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case n == 0:
			h.start = string(line)
		case len(line) == 0:
			return h, nil
		case line[0] == ' ' || line[0] == '\t':
			if len(h.fields) == 0 {
				return h, fmt.Errorf("%w: the first header line is a continuation", errMalformed)
			}
			last := &h.fields[len(h.fields)-1]
			last.raw = slices.Concat(last.raw, []byte("\r\n"), line)
			last.value = strings.Trim(last.value+" "+blankTrimmed(line), " \t")
		default:
			name, value, found := bytes.Cut(line, []byte(":"))
			if !found || !isToken(name) {
				return h, fmt.Errorf("%w: header line %d has no valid name before a colon", errMalformed, n)
			}
			h.fields = append(h.fields, field{raw: line, name: string(name), value: blankTrimmed(value)})
		}
	}
	return h, nil
}

func blankTrimmed(b []byte) string { return strings.Trim(string(b), " \t") }

// isToken reports whether b is a header name. A blank before the colon is the
// classic way to smuggle a field past one of two parsers.
func isToken(b []byte) bool {
	for _, c := range b {
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && !bytes.ContainsRune([]byte("!#$%&'*+-.^_`|~"), rune(c)) {
			return false
		}
	}
	return len(b) > 0
}

// readHead reads up to and including the empty line that ends a head. Empty
// lines before it are skipped, as RFC 9112 asks.
func readHead(br *bufio.Reader) ([]byte, error) {
	var raw []byte
	for lineStart := 0; ; {
		part, err := br.ReadSlice('\n')
		raw = append(raw, part...)
		if len(raw) > maxHead {
			return raw, errHeadTooLarge
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return raw, fmt.Errorf("read a head: %w", err)
		}
		line := bytes.TrimSuffix(raw[lineStart:len(raw)-1], []byte("\r"))
		switch {
		case len(line) > 0:
			lineStart = len(raw)
		case lineStart == 0:
			raw = raw[:0]
		default:
			return raw, nil
		}
	}
}

// header returns the fields as net/http shows them, for reading only: order,
// case and blanks are gone.
func (h head) header() http.Header {
	out := make(http.Header, len(h.fields))
	for _, f := range h.fields {
		name := textproto.CanonicalMIMEHeaderKey(f.name)
		out[name] = append(out[name], f.value)
	}
	return out
}

// hasToken reports whether a comma-separated field holds the token.
func (h head) hasToken(name, token string) bool {
	for _, f := range h.fields {
		if !f.is(name) {
			continue
		}
		for t := range strings.SplitSeq(f.value, ",") {
			if strings.EqualFold(strings.TrimSpace(t), token) {
				return true
			}
		}
	}
	return false
}

// oneHop reports whether the field concerns this connection only. Framing and
// Host can not be declared away: they decide where the message ends and whose
// it is.
func (h head) oneHop(f field) bool {
	switch strings.ToLower(f.name) {
	case "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer", "upgrade":
		return true
	case "content-length", "transfer-encoding", "host":
		return false
	}
	return h.hasToken("Connection", f.name)
}
