package profile

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The schema and the decoder must know the same keys: an editor that accepts
// what the run refuses is worse than none.
func TestSchemaKnowsEveryKeyOfTheContract(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/good/contract.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var profile any
	if err := yaml.Unmarshal(data, &profile); err != nil {
		t.Fatal(err)
	}
	definitions := schema["$defs"].(map[string]any)
	if err := conforms(definitions, schema, profile, ""); err != nil {
		t.Error(err)
	}
	for _, bad := range []any{
		map[string]any{"target": map[string]any{"nme": "x"}},
		map[string]any{"chekout": map[string]any{}},
		map[string]any{"links": map[string]any{"store": uint64(5)}},
	} {
		if conforms(definitions, schema, bad, "") == nil {
			t.Errorf("the schema accepts %v", bad)
		}
	}
}

// conforms is the part of JSON Schema that the generator uses.
func conforms(definitions, schema map[string]any, value any, path string) error {
	if ref, ok := schema["$ref"].(string); ok {
		return conforms(definitions, definitions[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), value, path)
	}
	if choices, ok := schema["anyOf"].([]any); ok {
		var last error
		for _, choice := range choices {
			if last = conforms(definitions, choice.(map[string]any), value, path); last == nil {
				return nil
			}
		}
		return last
	}
	switch value := value.(type) {
	case map[string]any:
		if kind, ok := schema["type"]; ok && kind != "object" {
			return fmt.Errorf("%s must be %v", path, kind)
		}
		properties, _ := schema["properties"].(map[string]any)
		for key, inner := range value {
			if properties[key] == true {
				continue // any value
			}
			property, known := properties[key].(map[string]any)
			if !known {
				further, open := schema["additionalProperties"]
				if further == false {
					return fmt.Errorf("%s.%s is unknown", path, key)
				}
				if property, known = further.(map[string]any); !open || !known {
					continue
				}
			}
			if err := conforms(definitions, property, inner, path+"."+key); err != nil {
				return err
			}
		}
	case string:
		if kind, ok := schema["type"]; ok && kind != "string" {
			return fmt.Errorf("%s must be %v", path, kind)
		}
	case uint64, int64:
		if kind, ok := schema["type"]; ok && kind != "integer" && path != ".target.version" {
			return fmt.Errorf("%s must be %v", path, kind)
		}
	}
	return nil
}
