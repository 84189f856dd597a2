package stub

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fieldError says which field of a document is refused and why.
type fieldError struct {
	pointer string // JSON pointer (RFC 6901)
	reason  string
}

func (e *fieldError) Error() string {
	return fmt.Sprintf("field %s %s", e.pointer, e.reason)
}

// reader reads the value of one field.
type reader func(pointer string, raw json.RawMessage) error

// object returns a reader of a JSON object with exactly these fields. A field
// that is null counts as left out.
func object(fields map[string]reader) reader {
	return each(func(name string) reader { return fields[name] })
}

// each returns a reader of a JSON object that asks field for the reader of each
// field. Names are walked in order, so that the same document brings the same
// error.
func each(field func(name string) reader) reader {
	return func(pointer string, raw json.RawMessage) error {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil || members == nil {
			return &fieldError{pointer, "must be a JSON object"}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			read := field(name)
			if read == nil {
				return &fieldError{at, "is not implemented by this stub server"}
			}
			if string(members[name]) == "null" {
				continue
			}
			if err := read(at, members[name]); err != nil {
				return err
			}
		}
		return nil
	}
}

// list returns a reader of a JSON array.
func list(element reader) reader {
	return func(pointer string, raw json.RawMessage) error {
		var elements []json.RawMessage
		if err := json.Unmarshal(raw, &elements); err != nil {
			return &fieldError{pointer, "must be a JSON array"}
		}
		for i, e := range elements {
			if err := element(fmt.Sprintf("%s/%d", pointer, i), e); err != nil {
				return err
			}
		}
		return nil
	}
}

// into returns a reader that stores the value in dst.
func into[T any](dst *T) reader {
	return func(pointer string, raw json.RawMessage) error {
		if err := json.Unmarshal(raw, dst); err != nil {
			return &fieldError{pointer, "must be " + wanted(dst)}
		}
		return nil
	}
}

func wanted(dst any) string {
	switch dst.(type) {
	case *bool:
		return "true or false"
	case *int, *int64, **int64:
		return "a whole number"
	case *[]byte:
		return "base64 text"
	case *map[string]string:
		return "an object whose members are text"
	}
	return "text"
}
