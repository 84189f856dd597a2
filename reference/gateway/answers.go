package gateway

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

// The public error codes.
const (
	CodeTimeout         = client.CodeTimeout
	CodeUnavailable     = client.CodeUnavailable
	CodeInvalid         = "VALIDATION_ERROR"
	CodeUnauthenticated = "UNAUTHENTICATED"
	CodeNotFound        = "NOT_FOUND"
)

// Answer is what a caller gets.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Failure is what a caller is told where there is no answer. Its text is ours:
// what the dependency said may hold anything.
type Failure struct {
	Status    int
	Code      string
	Message   string
	Retryable bool
}

// Judge is the default [Seams.Judge]: the client has told a timeout from
// unavailability, and knows whether the same call may be made again.
func Judge(_ client.Response, err error) *Failure {
	if err == nil {
		return nil
	}
	failed := (*client.Error)(nil)
	if !errors.As(err, &failed) { // nothing could be sent
		return &Failure{http.StatusServiceUnavailable, CodeUnavailable, "the dependency cannot be called", false}
	}
	f := Failure{failed.Status, failed.Code, failed.Message, failed.Retryable}
	if failed.Code == client.CodeCancelled {
		// The caller left, or we end: to whoever still reads this it is a reason to ask
		// elsewhere.
		f.Status = http.StatusServiceUnavailable
	}
	return &f
}

// Refuse is the default [Seams.Refuse].
func Refuse(f Failure, id string) Answer {
	body, err := json.Marshal(struct {
		Code          string `json:"code"`
		Message       string `json:"message"`
		CorrelationID string `json:"correlationId"`
		Retryable     bool   `json:"retryable"`
	}{f.Code, f.Message, id, f.Retryable})
	if err != nil {
		panic("an object of strings is always JSON: " + err.Error())
	}
	a := Answer{Status: f.Status, Header: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}}, Body: append(body, '\n')}
	if f.Status == http.StatusUnauthorized {
		a.Header.Set("WWW-Authenticate", "Bearer")
	}
	return a
}

func unauthenticated() Failure {
	return Failure{http.StatusUnauthorized, CodeUnauthenticated, "a valid bearer token is required", false}
}

func notFound() Failure {
	return Failure{http.StatusNotFound, CodeNotFound, "there is nothing here", false}
}

func invalid(why error) Failure {
	return Failure{http.StatusBadRequest, CodeInvalid, why.Error(), false}
}

// broken is what a panic leaves: nobody can say what was done.
func broken() Failure {
	return Failure{http.StatusServiceUnavailable, CodeUnavailable, "the call cannot be completed now", false}
}

// Pass is the default [Seams.Pass]: status, body and end-to-end headers as they
// came. What the dependency says of its own source is not ours to repeat: here
// that header has a meaning which its answer cannot have.
func Pass(resp client.Response) Answer {
	a := Answer{Status: resp.Status, Header: resp.Header.Clone(), Body: resp.Body}
	if a.Header == nil {
		a.Header = http.Header{}
	}
	for _, line := range a.Header.Values("Connection") {
		for _, name := range strings.Split(line, ",") {
			a.Header.Del(textproto.TrimString(name))
		}
	}
	for _, name := range []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "TE", "Trailer", "Transfer-Encoding", "Upgrade", SourceHeader} {
		a.Header.Del(name)
	}
	return a
}

// representation returns the headers without which the body of a response cannot
// be understood. Others belong to the exchange that brought it.
func representation(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Etag", "Last-Modified", "Location"} {
		if values := h.Values(name); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// Serve is the default [Seams.Serve].
func Serve(e Entry, age time.Duration) Answer {
	a := Answer{Status: e.Status, Header: e.Header.Clone(), Body: e.Body}
	if a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header.Set(SourceHeader, "fallback")
	a.Header.Set("Age", strconv.FormatInt(int64(age/time.Second), 10))
	return a
}
