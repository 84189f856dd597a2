package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/itchyny/gojq"

	"github.com/oncecheck/oncecheck/harness"
)

// maxEntries bounds an expression that never ends.
const maxEntries = 1 << 20

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
	var effects []harness.Effect
	numbered := 0
	for n := 1; ; n++ {
		result, ok := results.Next()
		if !ok {
			break
		}
		if err, failed := result.(error); failed {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, fmt.Errorf("the jq expression ended in an error after %d entries: %w", n-1, err)
		}
		if n > maxEntries {
			return nil, fmt.Errorf("the jq expression gave more than %d entries", maxEntries)
		}
		effect, hasSeq, err := effect(result)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", n, err)
		}
		switch {
		case hasSeq:
			numbered++
		case e.fresh:
			return nil, fmt.Errorf("entry %d has no seq, which a URL with {{since}} needs: a whole number that grows with each entry", n)
		default:
			effect.Seq = int64(n)
		}
		effects = append(effects, effect)
	}
	if numbered > 0 && numbered < len(effects) {
		return nil, fmt.Errorf("%d of %d entries have a seq; either all or none must have one", numbered, len(effects))
	}
	return inOrder(effects, after)
}

// inOrder sorts and filters. Two entries with one number are an error: the
// number is the cursor by which nothing is missed.
func inOrder(effects []harness.Effect, after int64) ([]harness.Effect, error) {
	slices.SortStableFunc(effects, func(a, b harness.Effect) int { return cmp.Compare(a.Seq, b.Seq) })
	for i := 1; i < len(effects); i++ {
		if effects[i].Seq == effects[i-1].Seq {
			return nil, fmt.Errorf("two entries have seq %d: %s %q and %s %q", effects[i].Seq,
				effects[i-1].Kind, effects[i-1].ID, effects[i].Kind, effects[i].ID)
		}
	}
	return slices.DeleteFunc(effects, func(e harness.Effect) bool { return e.Seq <= after }), nil
}
