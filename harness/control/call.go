package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer bounds an answer: a few process ids and URLs, a time, a word.
const maxAnswer = 64 << 10

// refusal is an answer that says no.
type refusal struct {
	who    string
	status int
	text   string // what it says about it, may be empty
}

func (r *refusal) Error() string {
	if r.text == "" {
		return fmt.Sprintf("%s answered status %d", r.who, r.status)
	}
	return fmt.Sprintf("%s answered status %d: %s", r.who, r.status, r.text)
}

// refusedWith reports whether err is a refusal of that status.
func refusedWith(err error, status int) bool {
	r := (*refusal)(nil)
	return errors.As(err, &r) && r.status == status
}

// call sends one request to the supervisor and reads the answer into out unless
// that is nil.
func call(ctx context.Context, method, target string, in, out any) error {
	// Encoding maps of strings and numbers cannot fail.
	body, _ := json.Marshal(in)
	text, err := exchange(ctx, "the supervisor", method, target, nil, body)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("its answer is not the JSON of a supervisor: %w", err)
	}
	return nil
}

// exchange sends one request, on a connection of its own, and returns the body
// of the answer. It never repeats the request.
func exchange(ctx context.Context, who, method, target string, header map[string]string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("its URL is not valid")
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	answer, err := alone().Do(req)
	if err != nil {
		return nil, reason(ctx, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("its answer broke off: %w", reason(ctx, err))
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("its answer is larger than %d KiB", maxAnswer>>10)
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		var said struct{ Error string }
		_ = json.Unmarshal(text, &said) // another server may say no in its own way
		return nil, &refusal{who, answer.StatusCode, strings.TrimSpace(said.Error)}
	}
	return text, nil
}

// alone returns a client whose connections are used once and whose requests are
// sent once.
func alone() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// reason says why a call failed, in short: which limit ended it, or what the
// connection said. The URL is named by the callers.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		return inner.Err
	}
	return err
}
