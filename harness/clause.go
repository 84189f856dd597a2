package harness

import "strings"

// ClauseID names one sentence of the requirements, for example
// "SRS-CHK-001.44". The part before the last dot is its card.
type ClauseID string

// Card returns the requirement card of the clause: "SRS-CHK-001" for
// "SRS-CHK-001.44". An id without a dot is its own card.
func (id ClauseID) Card() string {
	if i := strings.LastIndexByte(string(id), '.'); i >= 0 {
		return string(id[:i])
	}
	return string(id)
}

// Clause is one atomic, testable sentence of the requirements.
type Clause struct {
	ID       ClauseID `json:"id"`
	Level    string   `json:"level"`    // must, should or info
	Strength string   `json:"strength"` // literal, derived or lesson: how close it is to the source's wording
	Title    string   `json:"title"`
	Check    string   `json:"check"` // the fault and the measurement that decide it
	Needs    Needs    `json:"needs"`
	Bugs     string   `json:"bugs"` // wrong implementations that a check of this clause has to catch
}

// Catalogue is everything that can be proven and the experiments that prove it.
// The zero Catalogue proves nothing and is refused by [Run].
type Catalogue struct {
	Clauses    []Clause
	Invariants []Invariant
	Scenarios  []Scenario
	NFRs       []NFR // measured in a lane of their own
}

// Invariant is a property no dialect excuses, I1 to I6.
type Invariant struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Scenario returns the scenario with that id.
func (c Catalogue) Scenario(id string) (Scenario, bool) {
	for _, s := range c.Scenarios {
		if s.ID == id {
			return s, true
		}
	}
	return Scenario{}, false
}
