package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// document is evidence.json: the evidence, and where its schema lies.
type document struct {
	Schema string `json:"schema"` // first, whatever else is added
	File   string `json:"$schema"`
	harness.Evidence
}

// JSON renders evidence.json: two spaces of indentation, and every list an
// array, never null, so that scripts may iterate without asking.
func JSON(w io.Writer, e harness.Evidence) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document{e.Schema, SchemaFile, AsWritten(e)}); err != nil {
		return fmt.Errorf("encode the evidence: %w", err)
	}
	return nil
}

// AsWritten returns e as evidence.json has it: with empty lists and maps in place
// of nil ones. The caller's are left as they are.
func AsWritten(e harness.Evidence) harness.Evidence {
	written, _ := filled(reflect.ValueOf(e)).Interface().(harness.Evidence)
	return written
}

// filled returns a copy of v in which no list and no map is nil. What is left out
// of the JSON where it is zero has to stay zero.
func filled(v reflect.Value) reflect.Value {
	into := reflect.New(v.Type()).Elem()
	into.Set(v)
	switch v.Kind() {
	case reflect.Slice:
		into.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			into.Index(i).Set(filled(v.Index(i)))
		}
	case reflect.Map:
		into.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for _, key := range v.MapKeys() {
			into.SetMapIndex(key, filled(v.MapIndex(key)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			into.Set(reflect.New(v.Type().Elem()))
			into.Elem().Set(filled(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && !(v.Field(i).IsZero() && strings.HasSuffix(field.Tag.Get("json"), ",omitzero")) {
				into.Field(i).Set(filled(v.Field(i)))
			}
		}
	}
	return into
}
