package peer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

const (
	piece    = 16 << 10 // of a chunked body, and of a large one
	large    = 64 << 10 // a body beyond it goes out in pieces, and may meet a full socket
	minBreak = 1 << 10  // the body of a break in the middle that was given none
)

// plan is a step ready to be carried out.
type plan struct {
	harness.Step
	fault   string // its name, empty if it is none
	fresh   *plan  // for a connection that carried no request before; nil: the same
	head    []byte // status line and header lines, without the empty one
	told    bool   // the head says what becomes of the connection
	last    bool   // namely that it ends
	content []byte
	sum     string // of the content
}

func newPlan(step harness.Step) *plan {
	p := &plan{Step: step, content: step.Content()}
	if step.Break == harness.BreakChunk {
		p.Chunked = true
	}
	if len(p.content) == 0 && breaksInside(step.Break) {
		p.content = harness.Step{Size: minBreak}.Content()
	}
	p.sum = sum(p.content)
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %03d %s\r\n", step.Status, http.StatusText(step.Status))
	framed := p.Open || wordless(step.Status)
	for _, line := range step.Header {
		fmt.Fprintf(&head, "%s: %s\r\n", line[0], line[1])
		switch strings.ToLower(line[0]) {
		case "content-length", "transfer-encoding":
			framed = true
		case "connection":
			p.told, p.last = true, p.last || hasToken(line[1], "close")
		}
	}
	switch {
	case framed:
	case p.Chunked:
		head.WriteString("Transfer-Encoding: chunked\r\n")
	default:
		fmt.Fprintf(&head, "Content-Length: %d\r\n", len(p.content))
	}
	p.head = head.Bytes()
	return p
}

func breaksInside(b harness.Break) bool {
	switch b {
	case harness.BreakHeaders, harness.BreakShort, harness.BreakCut, harness.BreakChunk:
		return true
	}
	return false
}

// wordless reports whether answers of that status have no body.
func wordless(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified
}

// slow reports whether carrying the plan out takes long enough for the caller to
// leave meanwhile.
func (p *plan) slow() bool {
	switch p.Break {
	case harness.BreakSilent, harness.BreakHeaders, harness.BreakCut, harness.BreakInterim:
		return true
	}
	return p.Delay > 0 || p.Every > 0 || len(p.content) > large
}

// pieces returns the size of the parts in which the body goes out.
func (p *plan) pieces() int {
	switch {
	case p.Every > 0 && len(p.content) <= large:
		return 1
	case p.Every > 0 || p.Chunked || len(p.content) > large:
		return piece
	}
	return len(p.content)
}

func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:])
}
