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
	Body          []byte      // JSON unless the header says otherwise, or nil
	Used          int         // attempts that earlier processes already spent on this call
	Journal       Journal
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

// Repeatable is the default [Seams.Repeatable]: what HTTP defines as idempotent,
// and everything else only under a key. Even a refused connection does not make
// an exception, so that nobody has to know which failures are harmless.
func Repeatable(r Request) bool {
	return safe(r.Method) || r.Method == http.MethodPut || r.Method == http.MethodDelete || !blank(r.Key)
}

// safe reports whether a method has no effect that could be in doubt.
func safe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

const (
	correlationMax      = 128
	correlationAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
)

// Correlate is the default [Seams.Correlate]: the caller's id, or a new one where
// the caller has none that is fit to be logged and passed on everywhere. An id
// that is too long or holds anything but letters, digits and ._:- is replaced and
// not repaired, for a part of somebody's id is nobody's id.
func Correlate(id string) string {
	if id == "" || len(id) > correlationMax || strings.Trim(id, correlationAlphabet) != "" {
		return rand.Text()
	}
	return id
}

// call is a Request made ready: everything that all of its attempts share.
type call struct {
	Call
	template   *http.Request
	body       []byte
	journal    Journal
	repeatable bool
	first      int // number of the first attempt
	last       int // and of the last that may be made
	deadline   time.Time
}

// prepare checks all that net/http would refuse, since a mistake of the caller's
// is no failure of the peer and repeating it helps nobody.
func (c *Client) prepare(ctx context.Context, req Request) (*call, error) {
	start := c.cfg.Now()
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
		Call:       Call{Dependency: cmp.Or(req.Dependency, r.URL.Host), Method: req.Method, CorrelationID: req.CorrelationID},
		template:   r,
		body:       req.Body,
		journal:    req.Journal,
		repeatable: c.cfg.Repeatable(req),
		first:      req.Used + 1,
		last:       c.cfg.Policy.Attempts,
		deadline:   c.cfg.Deadline(c.cfg.Policy, ctx, start),
	}
	if ready.journal == nil {
		ready.journal = noJournal{}
	}
	if !ready.repeatable || !c.cfg.Retries() {
		ready.last = min(1, ready.last)
	}
	return ready, nil
}

// headers gives r the lines of req, and req the key and correlation id that are
// among them. An empty or blank key is none, and is not sent.
func (c *Client) headers(r *http.Request, req *Request) error {
	for name, values := range req.Header {
		for _, value := range values {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return fmt.Errorf("%w: header line %q is not allowed in HTTP", ErrInvalid, name)
			}
			r.Header.Add(name, value)
		}
	}
	r.Host = cmp.Or(r.Header.Get("Host"), r.Host) // net/http takes it from here only
	req.Key = cmp.Or(req.Key, r.Header.Get(KeyHeader))
	r.Header.Del(KeyHeader)
	if blank(req.Key) {
		req.Key = ""
	} else if !httpguts.ValidHeaderFieldValue(req.Key) {
		return fmt.Errorf("%w: the key is not allowed in an HTTP header", ErrInvalid)
	} else {
		r.Header.Set(KeyHeader, req.Key)
	}
	req.CorrelationID = c.cfg.Correlate(cmp.Or(req.CorrelationID, r.Header.Get(CorrelationHeader)))
	r.Header.Set(CorrelationHeader, req.CorrelationID)
	preset(r.Header, "Accept")
	if len(req.Body) > 0 {
		preset(r.Header, "Content-Type")
	}
	return nil
}

// preset says JSON where nothing was said.
func preset(h http.Header, name string) {
	if len(h[name]) == 0 {
		h.Set(name, "application/json")
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
