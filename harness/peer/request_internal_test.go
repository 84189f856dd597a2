package peer

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// Whatever arrives, the reader ends, and what it takes for a request net/http
// reads with the same body.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST /x?y HTTP/1.1\nHost: a\nContent-Length: 2\n\nab",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nab\r\n0\r\nT: r\r\n\r\n",
		"PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: keep-alive, x\r\n\r\na",
		"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n", ":", "GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		br := bufio.NewReader(bytes.NewReader(raw))
		r, err := readHead(br)
		if err == nil {
			err = r.readBody(br)
		}
		if err != nil {
			return
		}
		if r.method == "" || r.target == "" || len(r.sum) != 64 || r.bytes > maxBody {
			t.Fatalf("%q was read as %+v", raw, r)
		}
		for _, line := range r.lines {
			if !isToken(line[0]) || strings.ContainsAny(line[1], "\n") {
				t.Fatalf("%q was read with the line %q", raw, line)
			}
		}
		theirs, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			return // it refuses more
		}
		var body bytes.Buffer
		if _, err := body.ReadFrom(theirs.Body); err != nil {
			return
		}
		if r.sum != sum(body.Bytes()) || r.bytes != int64(body.Len()) || r.method != theirs.Method {
			t.Fatalf("%q was read as %+v, net/http reads %s with %q", raw, r, theirs.Method, body.Bytes())
		}
	})
}

func TestRequestLimits(t *testing.T) {
	chunks := "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("100000\r\n"+strings.Repeat("a", 1<<20)+"\r\n", maxBody>>20) + "1\r\na\r\n0\r\n\r\n"
	br := bufio.NewReader(strings.NewReader(chunks))
	r, err := readHead(br)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.readBody(br); err == nil || !strings.Contains(err.Error(), "larger than the peer reads") {
		t.Errorf("a body beyond the limit: %v", err)
	}
}
