package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oncecheck/oncecheck/harness"
)

// EvidenceFile is the name of the evidence in a run folder.
const EvidenceFile = "evidence.json"

// Read returns the evidence of a run folder. Fields that this version does not
// know are ignored, since fields may be added within a schema; another schema,
// text after the document and evidence without a single clause are errors.
func Read(dir string) (harness.Evidence, error) {
	path := filepath.Join(dir, EvidenceFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return harness.Evidence{}, fmt.Errorf("read evidence: %w: %s is not the folder of a finished run (a dry run writes none)", err, dir)
	}
	if err != nil {
		return harness.Evidence{}, fmt.Errorf("read evidence: %w", err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return harness.Evidence{}, fmt.Errorf("read evidence %s: %w", path, located(data, err))
	}
	if err := knownSchema(head.Schema); err != nil {
		return harness.Evidence{}, fmt.Errorf("read evidence %s: %w", path, err)
	}
	var e harness.Evidence
	if err := json.Unmarshal(data, &e); err != nil {
		return harness.Evidence{}, fmt.Errorf("read evidence %s: %w", path, located(data, err))
	}
	if e.Run.ID == "" || len(e.Clauses) == 0 {
		return harness.Evidence{}, fmt.Errorf("read evidence %s: it names %d clauses for run %q; the file is not complete", path, len(e.Clauses), e.Run.ID)
	}
	return e, nil
}

func knownSchema(schema string) error {
	if schema != harness.EvidenceSchema {
		return fmt.Errorf("schema %q is unknown here, this version reads %q; use the version that wrote it", schema, harness.EvidenceSchema)
	}
	return nil
}

// located adds the line to an error of the JSON decoder, which counts bytes.
func located(data []byte, err error) error {
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return err
	}
	line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}
