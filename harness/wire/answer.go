package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// answer is one answer that is there in full.
type answer struct {
	head   // start is the status line
	status int
	body   []byte // without its framing
}

// readAnswer reads the final answer to a request of that method; 1xx answers
// are skipped.
func readAnswer(br *bufio.Reader, method string) (*answer, error) {
	for {
		raw, err := readHead(br)
		if err != nil {
			return nil, err
		}
		a := &answer{}
		if a.head, err = parseHead(raw); err != nil {
			return nil, err
		}
		if a.status, err = parseStatusLine(a.start); err != nil {
			return nil, err
		}
		if a.status >= 200 {
			return a, a.readBody(br, method)
		}
		if a.status == http.StatusSwitchingProtocols {
			return nil, fmt.Errorf("%w: the upstream switches protocols without being asked", errMalformed)
		}
	}
}

func parseStatusLine(line string) (int, error) {
	version, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(code, 10, 10)
	if !strings.HasPrefix(version, "HTTP/1.") || err != nil || len(code) != 3 || n < 100 || n > 599 {
		return 0, fmt.Errorf("%w: the status line is not of the form HTTP/1.1 200 OK", errMalformed)
	}
	return int(n), nil
}

func (a *answer) readBody(br *bufio.Reader, method string) error {
	frame, err := a.framing()
	if err != nil {
		return err
	}
	switch {
	case bodyless(method, a.status):
	case frame.none():
		a.body, err = readUpTo(br, maxAnswerBody)
	default:
		a.body, err = frame.read(br, maxAnswerBody)
	}
	return err
}

// bodyless reports whether an answer has no body whatever its head says.
func bodyless(method string, status int) bool {
	return method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified
}

// message is an answer ready to be sent, with the places where it can be cut.
type message struct {
	bytes   []byte
	status  int
	line    int  // end of the status line
	head    int  // end of the header block: the body begins here
	closing bool // it announces that the connection closes after it
}

// encode returns the answer as the caller gets it, always with its length.
func (a *answer) encode(req *request) message {
	var b bytes.Buffer
	_, rest, _ := strings.Cut(a.start, " ")
	fmt.Fprintf(&b, "HTTP/1.1 %s\r\n", rest)
	m := message{status: a.status, line: b.Len(), closing: req.last}
	empty := bodyless(req.method, a.status)
	written := false
	for _, f := range a.fields {
		switch {
		case a.oneHop(f), f.is("Transfer-Encoding"), f.is("Content-Length") && written:
		case f.is("Content-Length"):
			written = true
			fallthrough
		default:
			b.Write(f.raw)
			b.WriteString("\r\n")
		}
	}
	if !written && !empty {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(a.body))
	}
	if m.closing {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	m.head = b.Len()
	if !empty {
		b.Write(a.body)
	}
	m.bytes = b.Bytes()
	return m
}

// localAnswer is an answer that the link gives by itself. Further fields are
// complete lines.
func localAnswer(status int, code, message string, lines ...string) *answer {
	a := &answer{status: status}
	a.start = fmt.Sprintf("HTTP/1.1 %d %s", status, http.StatusText(status))
	for _, line := range append([]string{"Content-Type: application/json"}, lines...) {
		name, value, _ := strings.Cut(line, ": ")
		a.fields = append(a.fields, field{raw: []byte(line), name: name, value: value})
	}
	// Marshalling a struct of strings and an int cannot fail.
	a.body, _ = json.Marshal(struct {
		Code    string `json:"code"`
		Status  int    `json:"status"`
		Message string `json:"message,omitempty"`
	}{code, status, message})
	return a
}

// injectedAnswer is the answer of the action status.
func injectedAnswer(action harness.Action) *answer {
	var lines []string
	if action.RetryAfter != "" {
		lines = append(lines, "Retry-After: "+action.RetryAfter)
	}
	return localAnswer(action.Status, "INJECTED", "", lines...)
}
