package shim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Client is a client under test behind a shim. It implements [harness.Client],
// and is safe for concurrent use.
type Client struct {
	base       string
	http       *http.Client
	info       Info
	principals map[string]Principal
	last       atomic.Int64 // number of the last call
}

var _ harness.Client = (*Client)(nil)

// As has calls carry the credentials of the principals that they name. It is to
// be called before the first call.
func (c *Client) As(principals map[string]Principal) { c.principals = principals }

// keptBody is how much of a body goes into the history.
const keptBody = 16 << 10

// Call implements [harness.Client].
func (c *Client) Call(ctx context.Context, call harness.ClientCall) (harness.Request, harness.Answer, error) {
	principal, known := c.principals[call.Principal]
	if !known {
		principal = Principal{Name: call.Principal}
	}
	asked := Call{
		ID: fmt.Sprint(c.last.Add(1)), Fresh: call.Fresh, Method: call.Method, URL: call.URL, Headers: call.Header, Body: call.Body,
		IdempotencyKey: call.Key, CorrelationID: call.CorrelationID, Principal: principal,
		DeadlineMs: milliseconds(call.Deadline), CancelAfterMs: milliseconds(call.CancelAfter),
	}
	if asked.Headers == nil {
		asked.Headers = [][2]string{}
	}
	sent := harness.Request{Method: call.Method, Path: target(call.URL), Principal: call.Principal, Tenant: principal.Tenant, CorrelationID: call.CorrelationID,
		Body: string(call.Body[:min(len(call.Body), keptBody)])}
	if len(call.Body) > 0 {
		sent.BodySHA256 = digest(call.Body)
	}
	var result returned
	if err := c.ask(ctx, http.MethodPost, "/v1/call", asked, &result); err != nil {
		return sent, harness.Answer{}, err
	}
	answer, err := result.answer(asked.ID)
	if err != nil {
		return sent, harness.Answer{}, c.wrong("/v1/call", err)
	}
	return sent, answer, nil
}

// milliseconds rounds away from zero: a limit that is there must not become none.
func milliseconds(d time.Duration) int64 {
	switch {
	case d < 0:
		return min(-1, d.Milliseconds())
	case d > 0:
		return max(1, d.Milliseconds())
	}
	return 0
}

// target returns what a request for the URL names: path and query.
func target(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.RequestURI()
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// returned is a Result as it is read: the error object stays what it was, since
// its members and their types are judged.
type returned struct {
	ID      string          `json:"id"`
	Outcome Outcome         `json:"outcome"`
	Status  int             `json:"status"`
	Headers [][]string      `json:"headers"`
	Body    []byte          `json:"bodyB64"`
	Error   json.RawMessage `json:"error"`
}

// answer returns the result as an answer. An error says that it is no result.
func (r returned) answer(id string) (harness.Answer, error) {
	if r.ID != id {
		return harness.Answer{}, fmt.Errorf("it answers call %q, and call %q was made", r.ID, id)
	}
	switch r.Outcome {
	case OutcomeResponse:
		return r.response()
	case OutcomeCancelled:
		a := r.failure()
		a.Outcome = harness.OutcomeCancelled
		return a, nil
	case OutcomeError:
		if len(r.Error) == 0 || string(r.Error) == "null" {
			return harness.Answer{}, fmt.Errorf("it reports an error and does not say which: the member error is missing")
		}
		a := r.failure()
		a.Outcome = harness.OutcomeError
		return a, nil
	}
	return harness.Answer{}, fmt.Errorf("it reports outcome %q; there are response, error and cancelled", r.Outcome)
}

func (r returned) response() (harness.Answer, error) {
	if r.Status < 100 || r.Status > 999 {
		return harness.Answer{}, fmt.Errorf("it reports a response with status %d", r.Status)
	}
	a := harness.Answer{Status: r.Status, Header: map[string][]string{}, BodySHA256: digest(r.Body), BodyBytes: int64(len(r.Body)),
		Body: string(r.Body[:min(len(r.Body), keptBody)])}
	for _, line := range r.Headers {
		if len(line) != 2 {
			return harness.Answer{}, fmt.Errorf("it reports a header line of %d parts instead of name and value", len(line))
		}
		name := http.CanonicalHeaderKey(line[0])
		a.Header[name] = append(a.Header[name], line[1])
	}
	a.RetryAfter = strings.Join(a.Header["Retry-After"], ", ")
	a.JSON = isObject(r.Body)
	return a, nil
}

// failure returns the error object as the body of an answer, as an API would
// send it, and what of it has the type that it should have.
func (r returned) failure() harness.Answer {
	a := harness.Answer{Status: r.Status, Body: string(r.Error[:min(len(r.Error), keptBody)]), BodySHA256: digest(r.Error), BodyBytes: int64(len(r.Error)), JSON: isObject(r.Error)}
	var members map[string]any
	if json.Unmarshal(r.Error, &members) != nil {
		return a
	}
	a.Code, _ = members["code"].(string)
	a.Message, _ = members["message"].(string)
	a.CorrelationID, _ = members["correlationId"].(string)
	if retryable, ok := members["retryable"].(bool); ok {
		a.Retryable = &retryable
	}
	return a
}

func isObject(b []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(b, &object) == nil && object != nil
}
