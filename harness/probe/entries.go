package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"

	"github.com/oncecheck/oncecheck/harness"
)

// entries turns a ledger's JSON into effects.
type entries struct {
	code  *gojq.Code
	fresh bool // only entries after {{since}} are sent, so a position means nothing
}

func compile(jq string, fresh bool) (entries, error) {
	if jq == "" {
		jq = ".[]"
	}
	query, err := gojq.Parse(jq)
	if err != nil {
		return entries{}, fmt.Errorf("probe effects: the jq expression %q does not parse: %w", jq, err)
	}
	// Neither the environment nor files can be read by an expression.
	code, err := gojq.Compile(query)
	if err != nil {
		return entries{}, fmt.Errorf("probe effects: the jq expression %q does not compile: %w", jq, err)
	}
	return entries{code, fresh}, nil
}

// read returns the effects in body whose sequence number is above after, in
// order.
func (e entries) read(ctx context.Context, body []byte, after int64) ([]harness.Effect, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // the expression language keeps the digits of such numbers
	var ledger any
	if err := decoder.Decode(&ledger); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the answer is more than one JSON value")
	}
	results := e.code.RunWithContext(ctx, ledger)
	found := gathered{fresh: e.fresh}
	for {
		result, ok := results.Next()
		if !ok {
			return found.inOrder(after)
		}
		if err, failed := result.(error); failed {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, fmt.Errorf("the jq expression ended in an error after %d entries: %w", len(found.effects), err)
		}
		object, ok := result.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("entry %d: the jq expression gave %s where an object with kind and id is needed", len(found.effects)+1, gojq.TypeOf(result))
		}
		if err := found.add(object); err != nil {
			return nil, err
		}
	}
}
