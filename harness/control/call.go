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

// maxAnswer bounds an answer of the supervisor: a few process ids and URLs.
const maxAnswer = 64 << 10

// refusal is an answer that says no.
type refusal struct {
	status int
	text   string // what the supervisor says about it, may be empty
}

func (r *refusal) Error() string {
	if r.text == "" {
		return fmt.Sprintf("the supervisor answered status %d", r.status)
	}
	return fmt.Sprintf("the supervisor answered status %d: %s", r.status, r.text)
}

// refusedWith reports whether err is a refusal of that status.
func refusedWith(err error, status int) bool {
	r := (*refusal)(nil)
	return errors.As(err, &r) && r.status == status
}

// call sends one request to the supervisor, on a connection of its own, and
// reads the answer into out unless that is nil. It never repeats the request.
func call(ctx context.Context, method, target string, in, out any) error {
	// Encoding maps of strings and numbers cannot fail.
	body, _ := json.Marshal(in)
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return errors.New("its URL is not valid")
	}
	req.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{DisableKeepAlives: true}
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(req)
	if err != nil {
		return reason(ctx, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("its answer broke off: %w", reason(ctx, err))
	case len(text) > maxAnswer:
		return fmt.Errorf("its answer is larger than %d KiB", maxAnswer>>10)
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		var said struct{ Error string }
		_ = json.Unmarshal(text, &said) // another server may say no in its own way
		return &refusal{answer.StatusCode, strings.TrimSpace(said.Error)}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("its answer is not the JSON of a supervisor: %w", err)
	}
	return nil
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
