package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"
)

// compile makes the expression that turns a source's JSON into its entries.
func (f form) compile(jq string) (*gojq.Code, error) {
	if jq == "" {
		jq = ".[]"
	}
	query, err := gojq.Parse(jq)
	if err != nil {
		return nil, fmt.Errorf("probe %s: the jq expression %q does not parse: %w", f.key, jq, err)
	}
	// Neither the environment nor files can be read by an expression.
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("probe %s: the jq expression %q does not compile: %w", f.key, jq, err)
	}
	return code, nil
}

// pick adds what the expression makes of the body.
func (f form) pick(ctx context.Context, code *gojq.Code, body []byte, found sink) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // the expression language keeps the digits of such numbers
	var whole any
	if err := decoder.Decode(&whole); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the answer is more than one JSON value")
	}
	results := code.RunWithContext(ctx, whole)
	for {
		result, ok := results.Next()
		if !ok {
			return found.finish()
		}
		if err, failed := result.(error); failed {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return fmt.Errorf("the jq expression ended in an error after %d entries: %w", found.count(), err)
		}
		object, ok := result.(map[string]any)
		if !ok {
			return fmt.Errorf("entry %d: the jq expression gave %s where an object with %s is needed", found.count()+1, gojq.TypeOf(result), f.identity)
		}
		if err := found.add(object); err != nil {
			return err
		}
	}
}
