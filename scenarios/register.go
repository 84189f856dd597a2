package scenarios

import (
	_ "embed" // the register is data, kept as the table it came as
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

//go:embed clauses.tsv
var clausesTSV string

// register parses the table of clauses: a header line, then seven columns.
func register(table string) ([]harness.Clause, error) {
	plain := strings.NewReplacer("**", "", "`", "") // titles are shown as plain text
	var clauses []harness.Clause
	seen := map[string]bool{}
	for n, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		if n == 0 {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			return nil, fmt.Errorf("clause register, line %d: %d columns, wanted 7", n+1, len(f))
		}
		if seen[f[0]] {
			return nil, fmt.Errorf("clause register, line %d: %s appears twice", n+1, f[0])
		}
		seen[f[0]] = true
		clauses = append(clauses, harness.Clause{ID: harness.ClauseID(f[0]), Level: f[1], Strength: f[2],
			Title: plain.Replace(f[3]), Check: f[4], Needs: harness.ParseNeeds(f[5]), Bugs: f[6]})
	}
	return clauses, nil
}

// invariants are the six that no dialect excuses.
func invariants() []harness.Invariant {
	return []harness.Invariant{
		{ID: "I1", Title: "at most one effect of each kind per scope and key"},
		{ID: "I2", Title: "all success answers for a key name the same order"},
		{ID: "I3", Title: "a refused request has no effect, now or later"},
		{ID: "I4", Title: "every key becomes terminal in bounded time once faults stop"},
		{ID: "I5", Title: "scopes never see or block each other"},
		{ID: "I6", Title: "no orphan effect"},
	}
}
