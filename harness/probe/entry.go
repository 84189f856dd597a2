package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/itchyny/gojq"

	"github.com/oncecheck/oncecheck/harness"
)

// effect reads one entry of a ledger.
func effect(object map[string]any) (e harness.Effect, err error) {
	if err := texts(object, []text{
		{"kind", &e.Kind}, {"id", &e.ID}, {"key", &e.Key}, {"reference", &e.Reference},
		{"correlationId", &e.CorrelationID}, {"currency", &e.Currency}, {"at", &e.At},
	}); err != nil {
		return e, err
	}
	if e.Kind == "" || e.ID == "" {
		return e, errors.New("kind and id must be there and not empty: without them no effect can be told from another")
	}
	e.Amount, _, err = whole(object, "amount")
	return e, err
}

// entryName is how an error names an entry.
func entryName(kind, id string) string { return fmt.Sprintf("%s %q", kind, id) }

// text is a member that is a string, and where it goes.
type text struct {
	name string
	into *string
}

// texts reads members that are strings. Those that are null are taken as absent,
// as jq and SQL fill them in for what a source does not hold.
func texts(object map[string]any, members []text) error {
	for _, m := range members {
		switch value := object[m.name].(type) {
		case nil:
		case string:
			*m.into = value
		default:
			return fmt.Errorf("%s is %s; it must be a string, which in jq (.%s | tostring) makes of it", m.name, gojq.TypeOf(value), m.name)
		}
	}
	return nil
}

// whole reads an integer of 64 bits, or nothing.
func whole(object map[string]any, name string) (n int64, there bool, err error) {
	exact := new(big.Rat)
	ok := true
	switch value := object[name].(type) {
	case nil:
		return 0, false, nil
	case int:
		return int64(value), true, nil
	case *big.Int:
		exact.SetInt(value)
	case float64:
		// The expression has calculated: beyond 2^53 digits may be lost.
		ok = value > -1<<53 && value < 1<<53 && exact.SetFloat64(value) != nil
	case json.Number:
		exact, ok = parseNumber(value.String())
	default:
		return 0, false, fmt.Errorf("%s is %s; it must be a number, which in jq (.%s | tonumber) makes of it", name, gojq.TypeOf(value), name)
	}
	if !ok || !exact.IsInt() {
		return 0, false, fmt.Errorf("%s is not a whole number; amounts are in minor units (cents)", name)
	}
	if !exact.Num().IsInt64() {
		return 0, false, fmt.Errorf("%s does not fit into 64 bits", name)
	}
	return exact.Num().Int64(), true, nil
}

// parseNumber is exact, but not for exponents so large that the exact number
// would fill the memory.
func parseNumber(text string) (*big.Rat, bool) {
	if f, err := strconv.ParseFloat(text, 64); err != nil || f > 1e30 || f < -1e30 || f != 0 && f < 1e-30 && f > -1e-30 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
