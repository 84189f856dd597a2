package harness

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// What the first attempt left under a name would be found by the second: a key
// that was used, a result that was stored.
func TestNothingOfARepeatedScenarioHasTheSameName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names [][]string
		x := oneOrder()
		x.Drive = func(_ context.Context, s *Session) error {
			c := s.Case("c")
			names = append(names, []string{c.Key, c.Cart, c.CorrelationID, s.Key("other")})
			return nil
		}
		r := newRunner(shopTarget(&shop{}), Plan{Run: RunInfo{ID: "run"}}, t.TempDir())
		if err := os.Mkdir(filepath.Join(r.dir, "history"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := r.record(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(HistoryFile(r.dir, x.ID), laggedFile(r.dir, x.ID)); err != nil {
			t.Fatal(err)
		}
		if err := r.record(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		for i, first := range names[0] {
			if first == names[1][i] {
				t.Errorf("both attempts know something as %q", first)
			}
		}
	})
}
