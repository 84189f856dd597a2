package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// files is a store in which texts are found.
type files struct {
	found  map[string]int64
	sought map[string]string
	err    error
}

func (f *files) Search(_ context.Context, texts map[string]string) ([]SearchedFile, error) {
	f.sought = texts
	return []SearchedFile{{Name: "shop.db", Bytes: 4096, Found: f.found}, {Name: "shop.db-wal", Found: map[string]int64{}}}, f.err
}

// TestSearchStorage: a mark for each file says what was found, and nobody can read
// what was looked for.
func TestSearchStorage(t *testing.T) {
	bubble(func(t *testing.T) {
		target, store := shopTarget(&shop{}), &files{found: map[string]int64{StoredControl: 2, string(CanaryToken): 1}}
		target.Observe.Storage = store
		_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error {
			err := s.SearchStorage(ctx, c, CanaryCard, CanaryToken)
			if store.sought[StoredControl] != c.Cart || store.sought[string(CanaryCard)] != s.Canary(CanaryCard) {
				t.Errorf("looked for %v", store.sought)
			}
			return err
		}), everything)
		var marks []Mark
		for _, e := range eventsOf(t, dir, "x/one-order") {
			if e.Type == MarkEvent && e.Mark.Name == MarkStorage {
				marks = append(marks, *e.Mark)
			}
		}
		if len(marks) != 2 || marks[0].Detail != "shop.db" || marks[0].Count[StoredControl] != 2 || marks[0].Count[StoredBytes] != 4096 || marks[0].Count["token"] != 1 {
			t.Fatalf("marks %+v", marks)
		}
		if n, sought := marks[1].Count["card"]; n != 0 || !sought {
			t.Errorf("what was looked for and not found is %v", marks[1].Count)
		}
	})(t)
}

// TestStorageUnread: a store that is not offered, or cannot be read, leaves the
// experiment undecided.
func TestStorageUnread(t *testing.T) {
	bubble(func(t *testing.T) {
		for name, store := range map[string]StorageReader{"not offered": nil, "not readable": &files{err: errors.New("no such file")}} {
			target := shopTarget(&shop{})
			target.Observe.Storage = store
			_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error { return s.SearchStorage(ctx, c, CanaryCard) }), everything)
			told := false
			for _, e := range eventsOf(t, dir, "x/one-order") {
				told = told || e.Type == MarkEvent && e.Mark.Name == MarkError && strings.Contains(e.Mark.Detail, "store")
			}
			if !told {
				t.Errorf("%s: nothing is told", name)
			}
		}
	})(t)
}

// TestTriesStorage: files in which a checkout that was made is not found are none
// of the target's.
func TestTriesStorage(t *testing.T) {
	bubble(func(t *testing.T) {
		for found, works := range map[int64]bool{0: false, 3: true} {
			target := shopTarget(&shop{})
			target.Info.Capabilities = append(target.Info.Capabilities, CapStorage)
			target.Observe.Storage, target.Probe = &files{found: map[string]int64{StoredControl: found}}, nil
			got, err := TryClaims(t.Context(), target, t.TempDir(), func(Capability) bool { return false })
			if err != nil || len(got) != 1 || got[0].Works != works || got[0].Name != string(CapStorage) {
				t.Errorf("found %d times: %+v, %v", found, got, err)
			}
		}
	})(t)
}

// TestCardCanary: it passes the check that card numbers pass, and is nobody's.
func TestCardCanary(t *testing.T) {
	for _, run := range []string{"run-1", "run-2", "run-3", "run-4"} {
		number, sum := canaryOf(run, CanaryCard), 0
		for i := range len(number) {
			digit := int(number[len(number)-1-i] - '0')
			if i%2 == 1 {
				if digit *= 2; digit > 9 {
					digit -= 9
				}
			}
			sum += digit
		}
		if len(number) != 16 || sum%10 != 0 || !strings.HasPrefix(number, testRange) {
			t.Errorf("%s is no card number of the range for tests", number)
		}
		if cvc := canaryOf(run, CanaryCVC); len(cvc) < minSecret || strings.Contains(number, cvc) {
			t.Errorf("the verification value %s cannot be told from others", cvc)
		}
	}
}
