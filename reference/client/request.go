package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/oncecheck/oncecheck/reference/exchange"
)

// The header lines that have a field of their own, in the spelling that net/http
// puts on the wire.
const (
	KeyHeader         = "Idempotency-Key"
	CorrelationHeader = "X-Correlation-Id"
)

// Request is one call.
type Request struct {
	Dependency    string // what logs and metrics call the peer; empty: the URL's host
	Method        string
	URL           string
	Header        http.Header // further lines, sent as they are on every attempt
	Key           string      // idempotency key; empty: the header's; blank: none
	CorrelationID string      // empty: the header's; unfit: a new one
	Body          []byte      // JSON unless the header says otherwise, or nil. After a send that was abandoned net/http may still read it, and the header
	Used          int         // attempts that earlier processes already spent on this call
	Journal       Journal     // nil: nothing is recorded
}

// Response is a complete answer, as the peer gave it, with any status that is
// neither 429 nor 5xx.
type Response struct {
	Status        int
	Header        http.Header
	Body          []byte
	CorrelationID string // that the call went by
	Attempts      int    // sends made by this call
}

// Repeatable is the default [Config.Repeatable]: what HTTP defines as idempotent,
// and everything else only under a key. Even a refused connection does not make
// an exception, so that nobody has to know which failures are harmless.
func Repeatable(r Request) bool {
	return exchange.Safe(r.Method) || r.Method == http.MethodPut || r.Method == http.MethodDelete || strings.TrimSpace(r.Key) != ""
}

// Correlate is the default [Config.Correlate]: the caller's id, or a new one where
// the caller has none that is fit to be logged and passed on everywhere. An id
// that is too long or holds anything but letters, digits and ._:- is replaced and
// not repaired, for a part of somebody's id is nobody's id.
func Correlate(id string) string {
	const longest = 128
	if id == "" || len(id) > longest || strings.ContainsFunc(id, unfit) {
		return rand.Text()
	}
	return id
}

// unfit reports whether r may not be part of a correlation id.
func unfit(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("._:-", r)
}

// call is a Request made ready: everything that all of its attempts share.
type call struct {
	Call
	template   *http.Request
	body       []byte
	journal    Journal
	repeatable bool
	used, most int // attempts made before this call, and that may be made in all
	deadline   time.Time
	Outcome    // so far
}

// prepare checks all that net/http would refuse, since a mistake of the caller's
// is no failure of the peer and repeating it helps nobody.
func (c *Client) prepare(ctx context.Context, req Request) (*call, error) {
	deadline := c.cfg.Deadline(c.cfg.Policy, ctx, c.cfg.Now())
	r, err := http.NewRequest(req.Method, req.URL, nil)
	if err != nil { // its text holds the URL
		return nil, fmt.Errorf("%w: the method or the URL cannot be parsed", ErrInvalid)
	}
	if r.URL.Host == "" || r.URL.User != nil || r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return nil, fmt.Errorf("%w: the URL must be absolute, http or https, and hold no credentials", ErrInvalid)
	}
	req.Method = r.Method // GET if it was empty
	if err := c.headers(r, &req); err != nil {
		return nil, err
	}
	ready := &call{
		Call:       Call{Dependency: cmp.Or(req.Dependency, r.URL.Host), Method: r.Method, CorrelationID: req.CorrelationID},
		template:   r,
		body:       req.Body,
		journal:    cmp.Or(req.Journal, Journal(nobody{})),
		repeatable: c.cfg.Repeatable(req),
		used:       req.Used,
		most:       c.cfg.Policy.Attempts,
		deadline:   deadline,
	}
	if !ready.repeatable || !c.cfg.Retries() {
		ready.most = min(1, ready.most)
	}
	return ready, nil
}

// headers gives r the lines of req, and req the key and correlation id that are
// among them. An empty or blank key is none, and is not sent.
func (c *Client) headers(r *http.Request, req *Request) error {
	for name, lines := range req.Header {
		name = http.CanonicalHeaderKey(name)
		ours := name == KeyHeader || name == CorrelationHeader // judged below: a field, or another id, may take their place
		for _, line := range lines {
			if !ours && (!httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(line)) {
				return notAllowed(name)
			}
			r.Header.Add(name, line)
		}
	}
	r.Host = cmp.Or(r.Header.Get("Host"), r.Host) // net/http takes it from here only
	req.Key = strings.Trim(cmp.Or(req.Key, r.Header.Get(KeyHeader)), " \t")
	req.CorrelationID = c.cfg.Correlate(cmp.Or(req.CorrelationID, r.Header.Get(CorrelationHeader)))
	for _, own := range [...]struct{ name, line string }{{KeyHeader, req.Key}, {CorrelationHeader, req.CorrelationID}} {
		if !httpguts.ValidHeaderFieldValue(own.line) {
			return notAllowed(own.name)
		}
		r.Header.Set(own.name, own.line)
	}
	if req.Key == "" {
		r.Header.Del(KeyHeader)
	}
	if r.Header["Accept"] == nil {
		r.Header.Set("Accept", "application/json")
	}
	if r.Header["Content-Type"] == nil && len(req.Body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	return nil
}

func notAllowed(name string) error {
	return fmt.Errorf("%w: header line %q is not allowed in HTTP", ErrInvalid, name)
}
