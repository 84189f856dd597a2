package probe

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
type gathered[T any] struct {
	kind[T]
	fresh    bool // a position means nothing, as where only entries after {{since}} are sent
	entries  []T
	withSeqs int
}

func (g *gathered[T]) count() int { return len(g.entries) }

// add reads one entry.
func (g *gathered[T]) add(object map[string]any) error {
	n := len(g.entries) + 1
	if n > maxEntries {
		return fmt.Errorf("there are more than %d entries; use {{since}} so that only new ones are read", maxEntries)
	}
	e, err := g.read(object)
	if err != nil {
		return fmt.Errorf("entry %d: %w", n, err)
	}
	seq, there, err := whole(object, g.cursor)
	switch {
	case err != nil:
		return fmt.Errorf("entry %d: %w", n, err)
	case there && seq < 1:
		return fmt.Errorf("entry %d: %s is %d; sequence numbers begin at 1", n, g.cursor, seq)
	case there:
		g.withSeqs++
	case g.fresh:
		return fmt.Errorf("entry %d has no %s: a whole number that grows with each entry, by which the next read goes on", n, g.cursor)
	default:
		seq = int64(n)
	}
	*g.cursorOf(&e) = seq
	g.entries = append(g.entries, e)
	return nil
}

// finish sorts the entries. Two with one number are an error: the number is the
// cursor by which nothing is missed.
func (g *gathered[T]) finish() error {
	if g.withSeqs > 0 && g.withSeqs < len(g.entries) {
		return fmt.Errorf("%d of %d entries have a %s; either all or none must have one", g.withSeqs, len(g.entries), g.cursor)
	}
	slices.SortStableFunc(g.entries, func(a, b T) int { return cmp.Compare(g.at(a), g.at(b)) })
	for i := 1; i < len(g.entries); i++ {
		if before, e := g.entries[i-1], g.entries[i]; g.at(before) == g.at(e) {
			return fmt.Errorf("two entries have %s %d: %s and %s", g.cursor, g.at(e), g.nameOf(before), g.nameOf(e))
		}
	}
	return nil
}

func (g *gathered[T]) at(e T) int64 { return *g.cursorOf(&e) }

// above returns the entries whose number is above after.
func (g *gathered[T]) above(after int64) []T {
	return slices.DeleteFunc(g.entries, func(e T) bool { return g.at(e) <= after })
}
