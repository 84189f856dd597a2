package probe

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// columns returns the member that each column of a result stands for, empty for
// one that means nothing here.
func (f form) columns(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("the query gave no columns; it must be a SELECT of %s and what else is known", strings.Join(f.needed, ", "))
	}
	known := map[string]string{}
	for _, member := range f.members {
		known[strings.ToLower(member)] = member // PostgreSQL folds what is not quoted
		known[snake(member)] = member
	}
	members := make([]string, len(names))
	for i, name := range names {
		member := known[strings.ToLower(name)]
		if member != "" && slices.Contains(members, member) {
			return nil, fmt.Errorf("the query gave %s twice; name each column once, with AS", member)
		}
		members[i] = member
	}
	for _, needed := range f.needed {
		if !slices.Contains(members, needed) {
			return nil, fmt.Errorf("the query gave no column %s (it gave %s); name one with AS %s: without %s no entry can be told from another",
				needed, strings.Join(names, ", "), needed, strings.Join(f.needed, " and "))
		}
	}
	return members, nil
}

// snake returns a member's name as databases like to spell it.
func snake(member string) string {
	return strings.ToLower(capital.ReplaceAllString(member, "_$0"))
}

var capital = regexp.MustCompile(`[A-Z]`)

// row reads the current row as the JSON object that it stands for.
func (f form) row(rows *sql.Rows, members []string) (map[string]any, error) {
	values := make([]any, len(members))
	into := make([]any, len(members))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for i, member := range members {
		if member == "" || values[i] == nil {
			continue
		}
		value, err := spelt(values[i])
		if err == nil && f.isNumber(member) {
			object[member], err = number(values[i], value)
		} else {
			object[member] = value
		}
		if err != nil {
			return nil, fmt.Errorf("%s is %w", member, err)
		}
	}
	return object, nil
}

// number returns a column's value as JSON spells it. A decimal comes as text,
// with all its digits; a float stays one, since it may have lost some.
func number(value any, spelt string) (any, error) {
	if float, ok := value.(float64); ok {
		return float, nil
	}
	if _, ok := parseNumber(spelt); !ok {
		return nil, errors.New("not a number")
	}
	return json.Number(spelt), nil
}

// spelt returns a value as text that loses nothing. Identities are often
// numbers in a database, so these are taken, too.
func spelt(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case []byte:
		if !utf8.Valid(value) {
			return "", errors.New("binary; make text of it in the query")
		}
		return string(value), nil
	case int64:
		return strconv.FormatInt(value, 10), nil
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	case time.Time:
		return value.UTC().Format(time.RFC3339Nano), nil
	}
	return "", fmt.Errorf("of a type (%T) that is neither text nor a number; make one of it in the query", value)
}
