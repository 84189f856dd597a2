package stub

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
)

// mapping is one stub: which requests it takes and what it answers.
type mapping struct {
	id       string
	priority int64 // 1 is tried first
	scenario string
	required string // state of the scenario in which the mapping takes requests; empty: any
	next     string // state after it answered; empty: unchanged
	request  pattern
	response response
	document json.RawMessage // as it is listed
}

// defaultPriority is WireMock's.
const defaultPriority = 5

// parseMapping reads a mapping. Errors are *fieldError.
func parseMapping(raw []byte) (*mapping, error) {
	m := &mapping{priority: defaultPriority, response: response{status: 200}}
	var uuid, name string
	var hasRequest bool
	request := parsePattern(&m.request)
	err := object(map[string]reader{
		"id":                    into(&m.id),
		"uuid":                  into(&uuid),
		"name":                  into(&name),
		"priority":              into(&m.priority),
		"scenarioName":          into(&m.scenario),
		"requiredScenarioState": into(&m.required),
		"newScenarioState":      into(&m.next),
		"request": func(pointer string, raw json.RawMessage) error {
			hasRequest = true
			return request(pointer, raw)
		},
		"response": parseResponse(&m.response),
	})("", raw)
	if err != nil {
		return nil, err
	}
	if m.id == "" {
		m.id = uuid
	}
	switch {
	case !hasRequest:
		return nil, &fieldError{"/request", "is missing: the stub would take every request"}
	case uuid != "" && uuid != m.id:
		return nil, &fieldError{"/uuid", "differs from id"}
	case m.priority < 1:
		return nil, &fieldError{"/priority", "must be at least 1"}
	case m.scenario == "" && (m.required != "" || m.next != ""):
		return nil, &fieldError{"/scenarioName", "is missing, but a scenario state is given"}
	}
	if m.id == "" {
		m.id = newID()
	}
	m.document, err = withID(raw, m.id)
	return m, err
}

// withID returns the document with id and uuid set, as WireMock lists it.
func withID(raw []byte, id string) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, &fieldError{"", "must be a JSON object"}
	}
	quoted, err := json.Marshal(id)
	if err != nil {
		return nil, &fieldError{"/id", "is no text"}
	}
	members["id"], members["uuid"] = quoted, quoted
	return json.Marshal(members)
}

// newID returns a random UUID, version 4.
func newID() string {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
