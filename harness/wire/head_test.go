package wire

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// FuzzParseHead holds what forwarding relies on: a head that is accepted keeps
// its meaning when its raw lines are written again, and nothing is invented.
func FuzzParseHead(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /a HTTP/1.1\nA:b\n\n", "x\r\n folded\r\n\r\n", "x\r\nA: \x80\x00\r\n\t b\r\n\r\n",
		"x\r\nA : b\r\n\r\n", "", "\n", "x\r\nA:\r\r\n\r\n", "x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, err := parseHead(raw)
		if err != nil {
			return
		}
		var again bytes.Buffer
		again.WriteString(h.start + "\r\n")
		for _, field := range h.fields {
			again.Write(field.raw)
			again.WriteString("\r\n")
			for line := range bytes.SplitSeq(field.raw, []byte("\r\n")) {
				if !bytes.Contains(raw, line) {
					t.Fatalf("line %q was not in %q", line, raw)
				}
			}
		}
		again.WriteString("\r\n")
		second, err := parseHead(again.Bytes())
		if err != nil || second.start != h.start || len(second.fields) != len(h.fields) {
			t.Fatalf("%q was accepted, but not when written again as %q: %v", raw, again.Bytes(), err)
		}
		for i, field := range second.fields {
			if field.name != h.fields[i].name || field.value != h.fields[i].value {
				t.Fatalf("field %q became %q", h.fields[i].raw, field.raw)
			}
		}
	})
}

// FuzzReadRequest: whatever is accepted goes upstream as exactly one request.
func FuzzReadRequest(f *testing.F) {
	for _, seed := range []string{
		"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "POST http://h/a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
		"\r\n\r\nGET * HTTP/1.1\r\nConnection: content-length\r\nContent-Length: 1\r\n\r\nx",
		"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\nx",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		proceed := func() error { return nil }
		r, err := readRequest(bufio.NewReader(bytes.NewReader(raw)), proceed)
		if err != nil {
			return
		}
		br := bufio.NewReader(bytes.NewReader(r.encode("", "upstream", "X-Case")))
		second, err := readRequest(br, proceed)
		if err != nil || second.method != r.method || second.target != r.target || !bytes.Equal(second.body, r.body) {
			t.Fatalf("%q went out as another request: %v", raw, err)
		}
		if rest, _ := br.Peek(1); len(rest) > 0 {
			t.Fatalf("%q went out as more than one request", raw)
		}
	})
}

func TestOperationMatches(t *testing.T) {
	op := Operation{Method: "GET", Path: "/charges/{id}/events"}
	for target, want := range map[string]bool{
		"GET /charges/1/events": true, "GET /charges//events": false, "GET /charges/1": false, "POST /charges/1/events": false, "GET /charges/1/events/": false,
	} {
		method, path, _ := strings.Cut(target, " ")
		if op.matches(method, path) != want {
			t.Errorf("%s: want %v", target, want)
		}
	}
	if !(Operation{Path: "/"}).matches("PATCH", "/") {
		t.Error("an operation without a method takes every method")
	}
}
