package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// request is one request that arrived in full.
type request struct {
	head
	method string
	target string // origin form, with the query
	path   string // target without the query
	last   bool   // the caller wants the connection closed after it
	header http.Header
	body   []byte
}

// readRequest reads one request. proceed is called if the caller waits for a
// 100 before it sends the body. With [errMalformed], [errHeadTooLarge] or
// [errBodyTooLarge] the request holds what was understood; after any other error
// nobody waits for an answer.
func readRequest(br *bufio.Reader, proceed func() error) (*request, error) {
	raw, err := readHead(br)
	if err != nil {
		return &request{}, err
	}
	r := &request{}
	if r.head, err = parseHead(raw); err != nil {
		r.header = r.head.header()
		return r, err
	}
	r.header = r.head.header()
	if err := r.parseStart(); err != nil {
		return r, err
	}
	frame, err := r.framing()
	if err != nil {
		return r, err
	}
	if frame.length <= maxRequestBody && !frame.none() && r.hasToken("Expect", "100-continue") {
		if err := proceed(); err != nil {
			return r, err
		}
	}
	r.body, err = frame.read(br, maxRequestBody)
	return r, err
}

func (r *request) parseStart() error {
	method, rest, _ := strings.Cut(r.start, " ")
	target, version, found := strings.Cut(rest, " ")
	if !found || !isToken([]byte(method)) || target == "" || (version != "HTTP/1.1" && version != "HTTP/1.0") {
		return fmt.Errorf("%w: the request line is not of the form METHOD TARGET HTTP/1.1", errMalformed)
	}
	if _, absolute, ok := strings.Cut(target, "://"); ok && target[0] != '/' {
		target = "/"
		if i := strings.IndexAny(absolute, "/?"); i >= 0 {
			target = "/" + strings.TrimPrefix(absolute[i:], "/")
		}
	}
	if target[0] != '/' && target != "*" {
		return fmt.Errorf("%w: the request target is neither a path nor a URL", errMalformed)
	}
	r.method, r.target = method, target
	r.path, _, _ = strings.Cut(target, "?")
	r.last = r.hasToken("Connection", "close") || (version == "HTTP/1.0" && !r.hasToken("Connection", "keep-alive"))
	return nil
}

// encode returns the request as the upstream gets it: below prefix, for host,
// without the case header. Every other field goes out as the bytes that came in.
func (r *request) encode(prefix, host, caseHeader string) []byte {
	var b bytes.Buffer
	if r.target == "*" {
		prefix = ""
	}
	fmt.Fprintf(&b, "%s %s%s HTTP/1.1\r\n", r.method, prefix, r.target)
	named, framed := false, false
	for _, f := range r.fields {
		switch {
		case r.oneHop(f), f.is("Expect"), caseHeader != "" && f.is(caseHeader):
		case f.is("Host"):
			if !named {
				fmt.Fprintf(&b, "%s: %s\r\n", f.name, host)
			}
			named = true
		case f.is("Transfer-Encoding"):
			fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
		case f.is("Content-Length") && framed: // a repetition says nothing new
		default:
			framed = framed || f.is("Content-Length")
			b.Write(f.raw)
			b.WriteString("\r\n")
		}
	}
	if !named {
		fmt.Fprintf(&b, "Host: %s\r\n", host)
	}
	b.WriteString("Connection: close\r\n\r\n")
	b.Write(r.body)
	return b.Bytes()
}
