package stub

import (
	"encoding/json"
	"fmt"
)

// Load registers what a mapping file holds: one mapping, or {"mappings": [...]}
// with several. A mapping that says what this server cannot do is an error that
// names the field; nothing of the file is registered then.
func (s *Server) Load(file []byte) error {
	var several struct {
		Mappings []json.RawMessage `json:"mappings"`
	}
	if err := json.Unmarshal(file, &several); err != nil {
		return fmt.Errorf("read a mapping: it is no JSON object: %w", err)
	}
	if several.Mappings == nil {
		several.Mappings = []json.RawMessage{file}
	}
	var all []*mapping
	for i, raw := range several.Mappings {
		m, err := parseMapping(raw)
		if err != nil {
			return fmt.Errorf("read mapping %d: %w", i+1, err)
		}
		all = append(all, m)
	}
	for _, m := range all {
		s.add(m)
	}
	return nil
}
