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

// A second attempt is for what lag left open. What failed in the first has failed.
func TestAFailureIsNotRepeatedForLag(t *testing.T) {
	wrong := func(*History) Verdict { return Failed("one", "two", 1) }
	open := func(*History) Verdict { return Undecided("not known") }
	hidden := func(*History) Verdict { return TooBusy("hidden") }
	for name, row := range map[string]struct {
		beyond int64
		checks []Check
		driven int
	}{
		"no lag":                                  {0, []Check{{Name: "a", Judge: open}}, 1},
		"lag, and nothing failed":                 {1, []Check{{Name: "a", Judge: open}}, 2},
		"lag, and something failed":               {1, []Check{{Name: "a", Judge: open}, {Name: "b", Judge: wrong}}, 1},
		"lag, and only a time was off":            {1, []Check{{Name: "a", Judge: wrong, Gates: Gates{Timing: true}}}, 2},
		"no lag, and a time was hidden":           {0, []Check{{Name: "a", Judge: hidden, Gates: Gates{Timing: true}}}, 2},
		"a time was hidden, and something failed": {0, []Check{{Name: "a", Judge: hidden, Gates: Gates{Timing: true}}, {Name: "b", Judge: wrong}}, 1},
		"what was hidden is no time":              {0, []Check{{Name: "a", Judge: hidden}}, 1},
		"a time that nobody asked for":            {0, []Check{{Name: "a", Judge: hidden, Needs: Needs{"shim"}, Gates: Gates{Timing: true}}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			driven := 0
			x := Scenario{ID: "x/y", Checks: row.checks, Drive: func(_ context.Context, s *Session) error {
				driven++
				s.Note(nil, MarkLag, "", map[string]int64{"beyond": row.beyond, "worstMs": 200})
				return nil
			}}
			r := newRunner(&Target{}, Plan{Run: RunInfo{ID: "run"}}, t.TempDir())
			if err := os.Mkdir(filepath.Join(r.dir, "history"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := r.record(t.Context(), x); err != nil {
				t.Fatal(err)
			}
			if err := r.repeatLagged(t.Context(), x); err != nil || driven != row.driven {
				t.Errorf("driven %d times, wanted %d: %v", driven, row.driven, err)
			}
		})
	}
}
