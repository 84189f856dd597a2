package probe

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/oncecheck/oncecheck/harness"
)

// sinceName is the place in a URL, a query or an argument that gets the last
// sequence number already seen.
var sinceName = regexp.MustCompile(`\{\{\s*since\s*\}\}`)

func fillSince(text string, after int64) string {
	return sinceName.ReplaceAllString(text, strconv.FormatInt(after, 10))
}

// maxEntries bounds a ledger that never ends.
const maxEntries = 1 << 20

// gathered are the entries of one read, in the order in which they came.
type gathered struct {
	fresh    bool // a position means nothing, as where only entries after {{since}} are sent
	effects  []harness.Effect
	numbered int
}

// add reads one entry.
func (g *gathered) add(object map[string]any) error {
	n := len(g.effects) + 1
	if n > maxEntries {
		return fmt.Errorf("there are more than %d entries; use {{since}} so that only new ones are read", maxEntries)
	}
	e, hasSeq, err := effect(object)
	switch {
	case err != nil:
		return fmt.Errorf("entry %d: %w", n, err)
	case hasSeq:
		g.numbered++
	case g.fresh:
		return fmt.Errorf("entry %d has no seq: a whole number that grows with each entry, by which the next read goes on", n)
	default:
		e.Seq = int64(n)
	}
	g.effects = append(g.effects, e)
	return nil
}

// inOrder returns the effects whose number is above after, sorted. Two entries
// with one number are an error: the number is the cursor by which nothing is
// missed.
func (g *gathered) inOrder(after int64) ([]harness.Effect, error) {
	effects := g.effects
	if g.numbered > 0 && g.numbered < len(effects) {
		return nil, fmt.Errorf("%d of %d entries have a seq; either all or none must have one", g.numbered, len(effects))
	}
	slices.SortStableFunc(effects, func(a, b harness.Effect) int { return cmp.Compare(a.Seq, b.Seq) })
	for i := 1; i < len(effects); i++ {
		if effects[i].Seq == effects[i-1].Seq {
			return nil, fmt.Errorf("two entries have seq %d: %s %q and %s %q", effects[i].Seq,
				effects[i-1].Kind, effects[i-1].ID, effects[i].Kind, effects[i].ID)
		}
	}
	return slices.DeleteFunc(effects, func(e harness.Effect) bool { return e.Seq <= after }), nil
}
