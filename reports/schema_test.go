package reports

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/oncecheck/oncecheck/harness"
)

// compiled is the schema as a validator that nobody here wrote understands it.
// References within it are resolved, and it may refer to nothing else.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	if err := compiler.AddResource(SchemaFile, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(SchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// written is the evidence as it stands in evidence.json.
func written(t *testing.T, e harness.Evidence) map[string]any {
	t.Helper()
	text := render(t, func(w io.Writer) error { return JSON(w, e) })
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value.(map[string]any)
}

func TestSchemaGolden(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, SchemaFile, string(text))
}

func TestEvidenceKeepsToItsSchema(t *testing.T) {
	nothing := harness.Evidence{Schema: harness.EvidenceSchema}
	one := harness.Evidence{
		Schema: harness.EvidenceSchema, Scenarios: []harness.ScenarioResult{{}}, Clauses: []harness.ClauseResult{{Checks: []harness.CheckResult{{}}}},
		Invariants: []harness.InvariantResult{{}}, NFRs: []harness.NFRResult{{}}, NotProven: []harness.NotProven{{}}, Known: []harness.KnownResult{{}},
	}
	one.Run.Hints, one.Run.ControlNext = []harness.Hint{{}}, []string{""}
	one.Target.Links, one.Target.Principals = []harness.LinkInfo{{}}, []harness.Principal{{}}
	schema := compiled(t)
	for name, e := range map[string]harness.Evidence{"the fixture": fixtureEvidence(), "nothing at all": nothing, "one of each, and empty": one} {
		if err := schema.Validate(written(t, e)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := fixtureDir(t)
	if err := Write(dir, fixtureEvidence(), []string{"json"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, EvidenceFile))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte("{\n  \"schema\": \""+harness.EvidenceSchema+"\",\n  \"$schema\": \""+SchemaFile+"\",\n  \"run\": {")) {
		t.Errorf("the evidence begins:\n%.200s", data)
	}
	beside, err := os.ReadFile(filepath.Join(dir, SchemaFile))
	if text, _ := Schema(); err != nil || !bytes.Equal(beside, text) {
		t.Errorf("the schema beside the evidence is another one: %v", err)
	}
}

// What scripts depend on is asked for; what is new is let through.
func TestSchemaRefuses(t *testing.T) {
	schema := compiled(t)
	for name, change := range map[string]func(map[string]any){
		"another version":         func(e map[string]any) { e["schema"] = "oncecheck/evidence/v2" },
		"no clauses":              func(e map[string]any) { delete(e, "clauses") },
		"clauses that are null":   func(e map[string]any) { e["clauses"] = nil },
		"a verdict nobody spells": func(e map[string]any) { first(e, "clauses")["verdict"] = "green" },
		"a verdict as a number":   func(e map[string]any) { first(e, "clauses")["verdict"] = json.Number("1") },
		"a check without name":    func(e map[string]any) { delete(failed(e), "name") },
		"witnesses that are null": func(e map[string]any) { failed(e)["witness"] = nil },
		"an invariant without id": func(e map[string]any) { delete(first(e, "invariants"), "id") },
		"no exit code":            func(e map[string]any) { delete(e["run"].(map[string]any), "exit") },
		"an exit code as text":    func(e map[string]any) { e["run"].(map[string]any)["exit"] = "0" },
		"a start that is no time": func(e map[string]any) { e["run"].(map[string]any)["started"] = "yesterday" },
		"a total as text":         func(e map[string]any) { e["totals"].(map[string]any)["pass"] = "7" },
		"effects as a list":       func(e map[string]any) { e["effects"] = []any{} },
		"a policy without unit":   func(e map[string]any) { policy(e)["deadline"] = "30" },
	} {
		e := written(t, fixtureEvidence())
		change(e)
		if schema.Validate(e) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	e := written(t, fixtureEvidence())
	e["later"], first(e, "clauses")["later"] = true, "more"
	delete(e, "$schema")
	if err := schema.Validate(e); err != nil {
		t.Errorf("an evidence with fields of a later version, or from before the schema: %v", err)
	}
}

func first(m map[string]any, list string) map[string]any { return m[list].([]any)[0].(map[string]any) }

// failed is the check of the fixture that failed.
func failed(e map[string]any) map[string]any {
	return e["clauses"].([]any)[3].(map[string]any)["checks"].([]any)[1].(map[string]any)
}

func policy(e map[string]any) map[string]any {
	return e["target"].(map[string]any)["policy"].(map[string]any)["checkout"].(map[string]any)
}

// Every field that the contract promises is asked for, whatever the types say.
func TestSchemaAsksForTheFieldsThatStay(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Required []string `json:"required"`
	}
	var schema struct {
		object
		Definitions map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for name, fields := range map[string]string{
		"":                "schema run target scenarios clauses invariants nfrs totals effects notProven",
		"RunInfo":         "id started finished seed lane suite host exit",
		"SuiteInfo":       "version commit",
		"HostInfo":        "os arch cpus",
		"TargetInfo":      "name version profileSha256 dialect capabilities policy",
		"ScenarioResult":  "id verdict reason attempts durationMs faults overlap",
		"FaultResult":     "fault planned fired observed lifted",
		"ClauseResult":    "id level strength title verdict reason scale checks",
		"CheckResult":     "name scenario verdict reason witness",
		"InvariantResult": "id verdict reason checks",
		"NFRResult":       "id claim threshold n violations upperBound confidence estimate lane verdict",
		"Totals":          "pass fail inconclusive notVerified notApplicable",
		"EffectTotals":    "expected observed duplicates orphans",
		"NotProven":       "clause why",
	} {
		required := schema.Required
		if name != "" {
			required = schema.Definitions[name].Required
		}
		for field := range strings.FieldsSeq(fields) {
			if !strings.Contains(" "+strings.Join(required, " ")+" ", " "+field+" ") {
				t.Errorf("%s.%s may be left out", name, field)
			}
		}
	}
}

// A folder from before the schema is as good as it was.
func TestFolderWithoutSchemaIsRead(t *testing.T) {
	dir := fixtureDir(t)
	if err := Write(dir, fixtureEvidence(), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, SchemaFile)); err != nil {
		t.Fatal(err)
	}
	if d, err := VerifyManifest(dir); err != nil || len(d) != 1 || d[0].String() != SchemaFile+": missing" {
		t.Errorf("a schema that the manifest lists is missing: %v, %v", d, err)
	}
	if err := WriteManifest(dir); err != nil {
		t.Fatal(err)
	}
	if d, err := VerifyManifest(dir); err != nil || len(d) > 0 {
		t.Errorf("a folder without schema: %v, %v", d, err)
	}
	if _, err := Read(dir); err != nil {
		t.Error(err)
	}
}

func TestAsWritten(t *testing.T) {
	e := fixtureEvidence()
	if AsWritten(e); !reflect.DeepEqual(e, fixtureEvidence()) {
		t.Error("the caller's evidence was changed")
	}
	empty := AsWritten(harness.Evidence{Target: harness.TargetInfo{Links: []harness.LinkInfo{{Name: "payment"}}}})
	if empty.Clauses == nil || empty.Effects == nil || empty.Target.Dialect.Scope == nil || empty.Target.Links[0].Operations == nil {
		t.Errorf("a list or map is still nil: %+v", empty)
	}
}
