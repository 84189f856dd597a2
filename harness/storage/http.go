package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/itchyny/gojq"
)

// HTTP returns a reader that gets rawURL, in which {{requestId}} is filled, and
// brings the JSON answer into the shape of a record by a jq expression; an empty
// one takes it as it is.
func HTTP(client *http.Client, rawURL string, header map[string]string, jq string) (*Record, error) {
	if jq == "" {
		jq = "."
	}
	query, err := gojq.Parse(jq)
	if err != nil {
		return nil, fmt.Errorf("observe.storage.record: the jq expression %q does not parse: %w", jq, err)
	}
	code, err := gojq.Compile(query) // neither the environment nor files can be read by it
	if err != nil {
		return nil, fmt.Errorf("observe.storage.record: the jq expression %q does not compile: %w", jq, err)
	}
	stay := *client
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	header = maps.Clone(header)
	return &Record{way: func(ctx context.Context, requestID string) (json.RawMessage, error) {
		at := requestName.ReplaceAllLiteralString(rawURL, url.QueryEscape(requestID))
		body, err := get(ctx, &stay, at, header)
		if err != nil {
			return nil, err
		}
		return picked(ctx, code, body)
	}}, nil
}

func get(ctx context.Context, client *http.Client, at string, header map[string]string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, errors.New("the URL of observe.storage.record is not valid")
	}
	r.Header.Set("Accept", "application/json")
	for _, name := range slices.Sorted(maps.Keys(header)) {
		r.Header.Set(name, header[name])
	}
	answer, err := client.Do(r)
	if err != nil {
		if inner := (*url.Error)(nil); errors.As(err, &inner) {
			err = inner.Err // the URL may hold a credential
		}
		return nil, fmt.Errorf("get it: %w; correct observe.storage.record.http", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it was answered status %d; correct observe.storage.record.http", answer.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxRecord+1))
	if err == nil && len(body) > maxRecord {
		err = fmt.Errorf("the answer is larger than %d MiB", maxRecord>>20)
	}
	return body, err
}

// picked applies the expression, whose first result is the record.
func picked(ctx context.Context, code *gojq.Code, body []byte) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // the expression language keeps the digits of such numbers
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	results := code.RunWithContext(ctx, value)
	result, ok := results.Next()
	if !ok {
		return nil, errors.New("the jq expression gave nothing: there is no such record")
	}
	if err, failed := result.(error); failed {
		return nil, fmt.Errorf("the jq expression ended in an error: %w", err)
	}
	if result == nil {
		return nil, errors.New("the jq expression gave null: there is no such record")
	}
	return gojq.Marshal(result)
}
