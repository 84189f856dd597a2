package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/oncecheck/oncecheck/harness"
)

// SchemaFile is the name of the JSON Schema beside the evidence that it
// describes.
const SchemaFile = "evidence.schema.json"

// SchemaID identifies the JSON Schema of evidence.json. Nothing is served there.
const SchemaID = "https://github.com/oncecheck/oncecheck/evidence/v1"

// Schema returns the JSON Schema of evidence.json. It is generated from the types
// that are written, so that it can forget no field.
//
// It asks for every field that is always there, in its type, with each word that
// a verdict may be. It lets further fields through: fields may be added within
// "oncecheck/evidence/v1", and a script that checks an evidence with the schema
// of an older version must not break over them.
func Schema() ([]byte, error) {
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, AllowAdditionalProperties: true, Mapper: textForm}
	schema := reflector.Reflect(&harness.Evidence{})
	schema.ID, schema.Title = SchemaID, "oncecheck evidence"
	schema.Description = "What a run proved, clause by clause. The histories beside it are what it was judged from; oncecheck judge does so again."
	own, known := schema.Properties.Get("schema")
	if !known {
		return nil, fmt.Errorf("generate the schema of the evidence: it has no property schema")
	}
	own.Const = harness.EvidenceSchema
	schema.Properties.Set("$schema", &jsonschema.Schema{Type: "string", Description: "This schema, relative to the evidence."})
	for _, d := range described() {
		definition := schema
		if d.definition != "" {
			definition = schema.Definitions[d.definition]
		}
		if definition == nil {
			return nil, fmt.Errorf("generate the schema of the evidence: it has no definition of %s", d.definition)
		}
		property, known := definition.Properties.Get(d.property)
		if !known {
			return nil, fmt.Errorf("generate the schema of the evidence: %s has no property %s", d.definition, d.property)
		}
		property.Description = d.text
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("generate the schema of the evidence: %w", err)
	}
	return append(text, '\n'), nil
}

func writeSchema(w io.Writer) error {
	text, err := Schema()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// textForm describes the types whose form in JSON is not that of their Go kind.
func textForm(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[harness.Outcome]():
		words := []any{}
		for _, o := range []harness.Outcome{harness.Pass, harness.Fail, harness.Inconclusive, harness.NotVerified, harness.NotApplicable} {
			words = append(words, o.String())
		}
		return &jsonschema.Schema{Type: "string", Enum: words}
	case reflect.TypeFor[harness.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`}
	}
	return nil
}

// description is what a property means, where its name does not say it all.
type description struct{ definition, property, text string } // the evidence itself has no definition

func described() []description {
	return []description{
		{"", "scaled", "The second target, whose times were divided, for what would take too long on the first."},
		{"", "twins", "Further targets of the same kind as the first: scenarios that disturb a target were carried out on them."},
		{"", "scenarios", "Every experiment of the catalogue, also those that were not selected."},
		{"", "clauses", "Every clause of the register, once."},
		{"", "invariants", "I1 to I6, which no dialect excuses."},
		{"", "nfrs", "Quantitative requirements with exact bounds."},
		{"", "totals", "Clauses by verdict."},
		{"", "effects", "The ledger, reconciled, by kind of effect."},
		{"", "notProven", "Every clause that is not green, with the reason."},
		{"", "known", "The failures that were excused, in order of the list."},
		{"RunInfo", "exit", "0 nothing failed or stayed open, 1 something failed, 3 something is inconclusive."},
		{"RunInfo", "control", "The positive control: without it nothing is believed."},
		{"RunInfo", "controlNext", "What to look at where the positive control failed."},
		{"RunInfo", "hints", "What is worth knowing of the target and changes no verdict."},
		{"RunInfo", "watchedMs", "How long the ledger was watched after the last scenario; what came later was not seen."},
		{"TargetInfo", "profileSha256", "SHA-256 of the profile's text, before its variables were filled in."},
		{"ScenarioResult", "history", "Path of its history, relative to the evidence, with slashes."},
		{"ScenarioResult", "scale", "By what the times of its target were divided; absent: judged at the true numbers."},
		{"ScenarioResult", "on", "On which of the run's targets it was carried out; absent: the first."},
		{"ScenarioResult", "overlap", "Most requests of one case that were in flight at the target at once."},
		{"FaultResult", "fired", "How often the injector carried it out; zero proves nothing."},
		{"ClauseResult", "scale", "1: judged at the true numbers of the policy; else by what the times of the target were divided in the scenario that divides most."},
		{"CheckResult", "witness", "Events of the history that show the verdict."},
	}
}
