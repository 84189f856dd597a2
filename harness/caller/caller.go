package caller

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// CaseHeader attributes a request to its case on the client link, which strips
// it before it forwards. The target is told in headers of its own: run, case id
// and attempt are in X-Oncecheck-Run, X-Oncecheck-Case-Id and X-Oncecheck-Attempt.
const CaseHeader = "X-Oncecheck-Case"

// The client link answers in the target's place if the target gives no answer,
// and says so in this header: such an answer is none.
const (
	linkHeader      = "X-Oncecheck-Upstream"
	linkUnreachable = "unreachable"
)

// Rendered is an operation of the profile, filled in.
type Rendered struct {
	Method, Path string
	Header       map[string]string // Content-Type included
	Body         []byte
}

// Config says how attempts are written.
type Config struct {
	Doors     []Door // of the client link, one for each instance of the target
	UserAgent string // product and version: "oncecheck/1.2.0"; the run is added
	KeyHeader string // name of the idempotency header
	// Correlation names the header that carries the correlation id.
	Correlation string
	Principals  map[string]map[string]string // credentials by principal name
	// Render fills the template of the attempt's operation.
	Render func(harness.Attempt) (Rendered, error)
	// Fields finds the fields of the contract in the body of an answer to the
	// operation; nil finds none.
	Fields func(operation string, a *harness.Answer, body []byte)
}

// Door is where an instance of the target is called.
type Door struct {
	Address string // host:port
	Host    string // Host header: the instance's own
}

// Caller implements [harness.Sender].
type Caller struct{ cfg Config }

// New returns a caller.
func New(cfg Config) *Caller { return &Caller{cfg: cfg} }

const (
	connectLimit = 5 * time.Second
	maxBody      = 64 << 20 // of an answer, unpacked
	mappedBody   = 8 << 20  // of an answer, in which fields are looked for
	keptBody     = 16 << 10 // of an answer, in the history
)

// Send implements [harness.Sender].
func (c *Caller) Send(ctx context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	head, body, sent, err := c.build(a)
	if err != nil {
		return sent, harness.Answer{}, fmt.Errorf("%w: %w", harness.ErrNotSent, err)
	}
	address := c.cfg.Doors[a.Instance].Address // build has refused a number that has none
	if a.Via != "" {
		address = a.Via
	}
	dialing, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(dialing, "tcp", address)
	if err != nil {
		return sent, harness.Answer{}, fmt.Errorf("%w: connect: %w", harness.ErrNotSent, err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	answer, content, err := exchange(conn, a, head, body)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("gave up: %w", context.Cause(ctx))
	}
	if err == nil && c.cfg.Fields != nil {
		c.cfg.Fields(a.Operation, &answer, content)
	}
	return sent, answer, err
}

// exchange writes the request and reads the answer with its body.
func exchange(conn net.Conn, a harness.Attempt, head, body []byte) (harness.Answer, []byte, error) {
	raw := append(head, body...)
	if a.Half {
		return harness.Answer{}, nil, hangUp(conn, raw[:len(head)+len(body)/2])
	}
	if a.Ready != nil {
		if _, err := conn.Write(raw[:len(raw)-1]); err != nil {
			return harness.Answer{}, nil, fmt.Errorf("send: %w", err)
		}
		a.Ready()
		<-a.Release
		raw = raw[len(raw)-1:]
	}
	_, writeErr := conn.Write(raw)
	// A server may answer and close before it has read everything, so the answer
	// is looked for even if writing failed.
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: methodOf(head)})
	if err != nil {
		return harness.Answer{}, nil, fmt.Errorf("no answer: %w", plainEOF(errors.Join(writeErr, err)))
	}
	defer func() { _ = response.Body.Close() }()
	switch response.Header.Get(linkHeader) {
	case "":
		return readAnswer(response)
	case linkUnreachable:
		return harness.Answer{}, nil, fmt.Errorf("%w: the target does not accept connections", harness.ErrNotSent)
	}
	return harness.Answer{}, nil, errors.New("no answer: the target closed the connection without one")
}

// hangUp sends what there is of a request and ends the connection. What became of
// it nobody can know.
func hangUp(conn net.Conn, part []byte) error {
	if _, err := conn.Write(part); err != nil {
		return fmt.Errorf("send half of the request: %w", err)
	}
	if err := conn.Close(); err != nil {
		return fmt.Errorf("hang up: %w", err)
	}
	return errors.New("hung up after half of the request was sent")
}

func methodOf(head []byte) string {
	method, _, _ := strings.Cut(string(head), " ")
	return method
}

func plainEOF(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the connection was closed: %w", err)
	}
	return err
}

// readAnswer reads the whole body; an answer that is cut off is no answer.
func readAnswer(r *http.Response) (harness.Answer, []byte, error) {
	body, err := decoded(r)
	if err != nil {
		return harness.Answer{}, nil, fmt.Errorf("the answer (status %d) cannot be read: %w", r.StatusCode, err)
	}
	hash := sha256.New()
	kept := &limited{max: mappedBody}
	n, err := io.Copy(io.MultiWriter(hash, kept), io.LimitReader(body, maxBody+1))
	if err != nil {
		return harness.Answer{}, nil, fmt.Errorf("the answer (status %d) was cut off after %d body bytes: %w", r.StatusCode, n, err)
	}
	if n > maxBody {
		return harness.Answer{}, nil, fmt.Errorf("the answer (status %d) is larger than %d MiB", r.StatusCode, maxBody>>20)
	}
	a := harness.Answer{
		Status: r.StatusCode, Header: r.Header, Body: string(kept.data[:min(len(kept.data), keptBody)]),
		BodySHA256: hex.EncodeToString(hash.Sum(nil)), BodyBytes: n,
		RetryAfter: r.Header.Get("Retry-After"),
	}
	return a, kept.data, nil
}

// limited keeps the first max bytes written to it.
type limited struct {
	data []byte
	max  int
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.max - len(l.data); room > 0 {
		l.data = append(l.data, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
