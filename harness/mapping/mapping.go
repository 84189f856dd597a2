package mapping

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/itchyny/gojq"

	"github.com/oncecheck/oncecheck/harness"
)

// Expressions are the jq expressions of the fields. An empty one leaves its
// field empty.
type Expressions struct {
	RequestID, OrderID, State, Code, AttemptCount, UpdatedAt, Retryable, CorrelationID string
}

// Mapping fills the fields of answers. It is safe for concurrent use.
type Mapping struct{ fields []field }

// field is one compiled expression with what to do with its first result.
type field struct {
	code *gojq.Code
	set  func(*harness.Answer, any)
}

// limit bounds all expressions on one answer: they come from a file that may
// hold an endless one.
const limit = time.Second

// New compiles the expressions. The error names the field whose expression is
// wrong.
func New(e Expressions) (*Mapping, error) {
	m := &Mapping{}
	for _, f := range []struct {
		name, expression string
		set              func(*harness.Answer, any)
	}{
		{"requestId", e.RequestID, func(a *harness.Answer, v any) { a.RequestID = identity(v) }},
		{"orderId", e.OrderID, func(a *harness.Answer, v any) { a.OrderID = identity(v) }},
		{"state", e.State, func(a *harness.Answer, v any) { a.State, _ = v.(string) }},
		{"code", e.Code, func(a *harness.Answer, v any) { a.Code, _ = v.(string) }},
		{"attemptCount", e.AttemptCount, func(a *harness.Answer, v any) { a.AttemptCount = whole(v) }},
		{"updatedAt", e.UpdatedAt, func(a *harness.Answer, v any) { a.UpdatedAt = identity(v) }},
		{"retryable", e.Retryable, func(a *harness.Answer, v any) { a.Retryable = truth(v) }},
		{"correlationId", e.CorrelationID, func(a *harness.Answer, v any) { a.CorrelationID, _ = v.(string) }},
	} {
		if f.expression == "" {
			continue
		}
		query, err := gojq.Parse(f.expression)
		if err != nil {
			return nil, fmt.Errorf("%s: the jq expression %q does not parse: %w", f.name, f.expression, err)
		}
		// Neither the environment nor files can be read by an expression.
		code, err := gojq.Compile(query)
		if err != nil {
			return nil, fmt.Errorf("%s: the jq expression %q does not compile: %w", f.name, f.expression, err)
		}
		m.fields = append(m.fields, field{code, f.set})
	}
	return m, nil
}

// Fill sets the fields of an answer from its body. A body that is not one JSON
// object has none.
func (m *Mapping) Fill(a *harness.Answer, body []byte) {
	object, err := decode(body)
	if err != nil {
		return
	}
	a.JSON = true
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for _, f := range m.fields {
		results := f.code.RunWithContext(ctx, object)
		if value, ok := results.Next(); ok {
			f.set(a, value) // an error of the expression is no text, number or truth either
		}
	}
}

func decode(body []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // the expression language keeps the digits of such numbers
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("the body is null")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body is more than one JSON value")
	}
	return object, nil
}

// identity returns an id as text. Whole numbers are spelt as they stand: many
// systems number their orders.
func identity(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case int:
		return strconv.Itoa(value)
	case json.Number:
		if _, err := value.Int64(); err == nil {
			return value.String()
		}
	case *big.Int:
		return value.String()
	}
	return ""
}

// whole returns a count, or nothing for what is none.
func whole(value any) *int {
	switch value := value.(type) {
	case int:
		return &value
	case json.Number:
		if n, err := value.Int64(); err == nil && n >= math.MinInt32 && n <= math.MaxInt32 {
			count := int(n)
			return &count
		}
	case float64: // the expression has calculated
		if count := int(value); value == math.Trunc(value) && math.Abs(value) <= math.MaxInt32 {
			return &count
		}
	}
	return nil
}

func truth(value any) *bool {
	if b, ok := value.(bool); ok {
		return &b
	}
	return nil
}
