package profile

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Dependency is a system that the target calls, and how its calls come to pass
// through us: the target is configured to call the listen address, from which we
// forward to an upstream, to our provider fake or to stubs; or a supervisor
// attaches our listener.
type Dependency struct {
	Listen   string `yaml:"listen" jsonschema_description:"Loopback address, host:port, that the target calls."`
	Upstream string `yaml:"upstream"`
	Fake     string `yaml:"fake" jsonschema:"enum=provider"`
	Stubs    string `yaml:"stubs" jsonschema_description:"A folder of WireMock mappings."`
	Attach   string `yaml:"attach" jsonschema_description:"URL of a supervisor that points the target at us, under a lease."`

	Operations      map[string]DependencyOperation `yaml:"operations"`
	AttributePath   string                         `yaml:"attribute" jsonschema_description:"Path like .reference to the body member that says which case a call belongs to."`
	AttributeHeader string                         `yaml:"attributeHeader" jsonschema_description:"Header that says it for calls without such a body."`
}

// DependencyOperation is one route of a dependency. In its path, {name} stands
// for one segment.
type DependencyOperation struct {
	Method string `yaml:"method"` // default: GET for a query, else POST
	Path   string `yaml:"path" jsonschema:"required"`
	Effect string `yaml:"effect" jsonschema_description:"Kind of ledger entry that it leaves."`
	Query  bool   `yaml:"query" jsonschema_description:"It asks what became of an effect."`
}

// Attribute returns the value that says which case a call with that body belongs
// to, as text, or nothing if the body is not JSON or holds no such value.
func (d Dependency) Attribute(body []byte) string {
	if d.AttributePath == "" {
		return ""
	}
	// Numbers stay as they are spelt: an amount or a reference may have more
	// digits than a float keeps.
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return ""
	}
	for name := range strings.SplitSeq(d.AttributePath[1:], ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = object[name]
	}
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	}
	return ""
}
