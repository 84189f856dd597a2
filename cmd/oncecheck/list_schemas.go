package main

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/reports"
)

// listedSchema is the JSON Schema of a file that users or their scripts meet.
type listedSchema struct {
	Name    string `json:"name"`
	ID      string `json:"id"`
	Meaning string `json:"meaning"`

	text func() ([]byte, error)
}

func schemas() []listedSchema {
	return []listedSchema{
		{"profile", profile.SchemaID, "the profile, which you write; init puts it beside the one that it wrote, for your editor", profile.Schema},
		{"evidence", reports.SchemaID, "evidence.json, which your scripts read; every run puts it beside as " + reports.SchemaFile, reports.Schema},
	}
}

func listSchemas() listing {
	return listing{
		name: "schemas", short: "The JSON Schemas of profile and evidence; --print NAME prints one",
		json: func() any { return schemas() },
		table: func() [][]string {
			rows := [][]string{{"SCHEMA", "ID", "DESCRIBES"}}
			for _, s := range schemas() {
				rows = append(rows, []string{s.Name, s.ID, s.Meaning})
			}
			return rows
		},
		text: schemaText,
	}
}

// schemaText returns one schema whole.
func schemaText(name string) ([]byte, error) {
	var names []string
	for _, s := range schemas() {
		if s.Name == name {
			return s.text()
		}
		names = append(names, s.Name)
	}
	return nil, refuse(fmt.Errorf("there is no schema %q", name), didYouMean(nearest(name, names, 1), "there are "+orDash(names)))
}
