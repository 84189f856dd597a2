package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/oncecheck/oncecheck/reports"
)

// keeps-to-schema DIR: validates the evidence of a run folder with the schema that
// the evidence itself names, as a stranger's script would.
func keepsToSchema(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keeps-to-schema DIR")
	}
	evidence, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0] + "/" + reports.EvidenceFile)))
	ts.Check(err)
	fields, _ := evidence.(map[string]any)
	named, _ := fields["$schema"].(string)
	if named != reports.SchemaFile {
		ts.Fatalf("the evidence names the schema %q, wanted %q", named, reports.SchemaFile)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0] + "/" + named)))
	ts.Check(err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	ts.Check(compiler.AddResource(named, document))
	schema, err := compiler.Compile(named)
	ts.Check(err)
	ts.Check(schema.Validate(evidence))
}
