package harness

import (
	"fmt"
	"strings"
)

// Script tells a scripted peer, a dependency that the harness plays itself, how
// to meet the requests of one case.
type Script struct {
	Door  Door
	Steps []Step // the n-th request meets the n-th step; those beyond the last meet the last again
}

// Door is how connections are met before any request is read.
type Door struct {
	Kind DoorKind
	For  Duration // full: how long; refused: how long after somebody was refused first; then as open; 0 is for good
	// Told has everybody who was seen to wait before a full door recorded as a
	// connection once he left: opened when he was seen first, closed when he was
	// missed first. Of those before a full or silent door it is told which address
	// they called, where the system lets the door have many.
	Told bool
}

// MarkDoorOpened says that a door which had kept callers out lets them in now.
const MarkDoorOpened = "door-opened"

// DoorKind is a kind of door.
type DoorKind string

// The doors. The zero value is open.
const (
	DoorOpen      DoorKind = ""
	DoorRefused   DoorKind = "refused"    // nobody listens
	DoorFull      DoorKind = "full"       // the backlog is full: the connection never completes
	DoorSilent    DoorKind = "no-hello"   // TCP is accepted, TLS never answered
	DoorTLS       DoorKind = "tls"        // TLS with a certificate that the run's authority signed
	DoorWrongName DoorKind = "wrong-name" // the same, for another host
	DoorNamed     DoorKind = "named"      // open, under a name that the run's resolver tells
	DoorUntold    DoorKind = "no-name"    // under a name for which the run's resolver is asked, and stays silent
)

// Faulty reports whether the door keeps callers out, for a time or for good.
func (d Door) Faulty() bool { return d.Kind != DoorOpen && d.Kind != DoorTLS && d.Kind != DoorNamed }

// String returns "full" or "refused(150ms)".
func (d Door) String() string {
	if d.For > 0 {
		return fmt.Sprintf("%s(%s)", d.Kind, d.For.Std())
	}
	return string(d.Kind)
}

// Break is how an answer breaks off.
type Break string

// The breaks. The zero value is a complete answer.
const (
	BreakNone    Break = ""
	BreakSilent  Break = "silent"        // no byte, until the caller leaves or the peer is closed
	BreakHeaders Break = "stall"         // status line and headers, then no byte
	BreakShort   Break = "truncate"      // the announced length is not reached: half of it, then FIN
	BreakCut     Break = "reset-in-body" // half of the body, then RST
	BreakChunk   Break = "bad-chunk"     // chunks that do not end as chunks do, then FIN
	BreakGarbage Break = "garbage"       // bytes that are not HTTP, then FIN
	BreakInterim Break = "interim-flood" // 1xx answers without an end
	BreakClose   Break = "close"         // FIN in place of an answer
	BreakReset   Break = "reset"         // RST in place of an answer
)

// Step is how one request is answered once it was read in full.
type Step struct {
	Delay   Duration    // before the first byte, or before the break
	Status  int         // 0 only where the break leaves no answer
	Header  [][2]string // further header lines, sent as they are
	Body    string      // sent as it is
	Size    int         // without a Body: that many bytes of a fixed pattern
	Chunked bool        // in chunks of 16 KiB instead of a Content-Length
	Open    bool        // neither length nor chunks: the body ends with the connection
	Every   Duration    // time between one byte (16 KiB if Size is larger than 64 KiB) of the body and the next
	Break   Break
	Reused  bool // the break comes only on a connection that carried a request before; else a plain 200
}

// Content returns the body of the step: what it sends where no break keeps it
// from sending all of it.
func (s Step) Content() []byte {
	if s.Body != "" || s.Size <= 0 {
		return []byte(s.Body)
	}
	// Rows of a length that is no power of two: a block that was lost or sent
	// twice gives another body, whatever the size of the block.
	const row = "oncecheck pattern: every row differs by its number "
	body := make([]byte, 0, s.Size+len(row)+20)
	for n := 0; len(body) < s.Size; n++ {
		body = fmt.Appendf(body, "%s%d\n", row, n)
	}
	return body[:s.Size:s.Size]
}

// Faulty reports whether the step is a fault, so that it has to be proven.
func (s Step) Faulty() bool {
	return s.Break != BreakNone || s.Status >= 400 || s.Delay > 0 || s.Every > 0
}

// String returns the step in one line: "delay(4s)+status(503)", "reset".
func (s Step) String() string {
	var parts []string
	if s.Delay > 0 {
		parts = append(parts, fmt.Sprintf("delay(%s)", s.Delay.Std()))
	}
	if s.Status > 0 {
		parts = append(parts, fmt.Sprintf("status(%d%s)", s.Status, s.retryAfter()))
	}
	if s.Every > 0 {
		parts = append(parts, fmt.Sprintf("trickle(%s)", s.Every.Std()))
	}
	if s.Break != BreakNone {
		text := string(s.Break)
		if s.Reused {
			text += "(reused)"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "+")
}

// retryAfter returns the asked waits as they stand in a step's text.
func (s Step) retryAfter() string {
	text := ""
	for _, line := range s.Header {
		if strings.EqualFold(line[0], "Retry-After") {
			text += "," + line[1]
		}
	}
	return text
}

// FaultText returns the name of the fault that step n of a script makes, counted
// from 1: "dependency#2:status(503)". The last one goes on for all that follow.
func (s Script) FaultText(n int) string {
	index := fmt.Sprint(n)
	if n == len(s.Steps) {
		index += "+"
	}
	return LinkDependency + "#" + index + ":" + s.Steps[n-1].String()
}

// doorText returns the name of the fault that the door makes.
func (s Script) doorText() string { return LinkDependency + ":" + s.Door.String() }

// LinkDependency is the link between a client under test and a scripted peer.
const LinkDependency = "dependency"
