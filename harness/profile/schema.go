package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/oncecheck/oncecheck/harness"
)

// SchemaID identifies the JSON Schema of a profile. Nothing is served there.
const SchemaID = "https://github.com/oncecheck/oncecheck/profile/v1"

// Schema returns the JSON Schema of a profile, for editors. It is generated from
// the types that the decoder fills, so the two know the same keys. The decoder
// knows more: which keys go together, and which names may stand in a template.
func Schema() ([]byte, error) {
	reflector := jsonschema.Reflector{FieldNameTag: "yaml", Anonymous: true, RequiredFromJSONSchemaTags: true, Mapper: textForm}
	schema := reflector.Reflect(&Profile{})
	schema.ID, schema.Title = SchemaID, "oncecheck profile"

	var presets []any
	for _, d := range Dialects() {
		presets = append(presets, d.Name)
	}
	for name, words := range map[string][]any{
		"DialectSpec": presets,
		"MissingKey":  {"execute"},
		"Mismatch":    {"refuse", "replay", "execute", "any"},
		"InProgress":  {"refuse", "wait", "any"},
		"Link":        {"control"},
	} {
		mapping, ok := schema.Definitions[name]
		if !ok {
			return nil, fmt.Errorf("generate the profile's schema: it has no definition of %s", name)
		}
		schema.Definitions[name] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string", Enum: words}, mapping}}
	}
	step, ok := schema.Definitions["Step"]
	if !ok {
		return nil, errors.New("generate the profile's schema: it has no definition of Step")
	}
	command, _ := step.Properties.Get("command")
	schema.Definitions["Step"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{command, step}}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("generate the profile's schema: %w", err)
	}
	return append(text, '\n'), nil
}

// textForm describes the types whose form in YAML is not that of their Go kind.
func textForm(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[harness.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`}
	case reflect.TypeFor[Rate]():
		return &jsonschema.Schema{Type: "string", Pattern: `^[0-9.]+/[sm]$`}
	case reflect.TypeFor[Template]():
		return &jsonschema.Schema{} // any value
	}
	return nil
}
