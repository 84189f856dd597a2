package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// StorageReader searches the files that make up the target's store.
type StorageReader interface {
	// Search returns for each file how often each text stands in it, in whatever
	// form a text is easily found again, by the names of the texts.
	Search(ctx context.Context, texts map[string]string) ([]SearchedFile, error)
}

// SearchedFile is one file of the store that was read to its end.
type SearchedFile struct {
	Name  string // without its folder
	Bytes int64
	Found map[string]int64
}

// CapStorage lets the files of the target's store be searched, CapStoredRecord
// one record of it be read.
const (
	CapStorage      Capability = "storage-read"
	CapStoredRecord Capability = "stored-record"
)

// MarkStorage says what was found in one file of the store: count holds the finds
// by the names of the canaries, the file's bytes, and under [StoredControl] how
// often what must be there was found.
const MarkStorage = "storage-searched"

// StoredControl and StoredBytes are the further counts of a search.
const (
	StoredControl = "control"
	StoredBytes   = "bytes"
)

// SearchStorage searches every file of the target's store for the canaries, and
// for what the case must have left there: a store in which nobody finds a known
// cart is no proof that a secret is not in it.
func (s *Session) SearchStorage(ctx context.Context, c *Case, canaries ...Canary) error {
	if s.target.Observe.Storage == nil {
		return s.notOffered("search the target's store", "observe.storage.files")
	}
	texts := map[string]string{StoredControl: c.Cart}
	for _, canary := range canaries {
		texts[string(canary)] = s.Canary(canary)
	}
	files, err := s.target.Observe.Storage.Search(ctx, texts)
	if err != nil {
		return s.unproven(fmt.Errorf("search the target's store: %w", err))
	}
	for _, f := range files {
		count := map[string]int64{StoredBytes: f.Bytes, StoredControl: f.Found[StoredControl]}
		for _, canary := range canaries {
			count[string(canary)] = f.Found[string(canary)]
		}
		s.Note(c, MarkStorage, f.Name, count)
	}
	return nil
}

// tryStorage looks for a checkout of which it is known that it was made.
func (s *Session) tryStorage(ctx context.Context, c *Case) (string, error) {
	if s.target.Observe.Storage == nil {
		return "", errNothingReads
	}
	if problem := s.tryCheckout(ctx, c, s.DefaultPrincipal()); problem != "" {
		return "", errors.New("the checkout that was to be found in it: " + problem)
	}
	files, err := s.target.Observe.Storage.Search(ctx, map[string]string{StoredControl: c.Cart})
	if err != nil {
		return "", err
	}
	var names []string
	found := int64(0)
	for _, f := range files {
		found += f.Found[StoredControl]
		names = append(names, f.Name)
	}
	if found == 0 {
		return "", fmt.Errorf("the cart of a checkout that was made is in none of %s: name the files that the target writes to, its journal among them; a store that is encrypted or packed cannot be searched", strings.Join(names, ", "))
	}
	return fmt.Sprintf("the cart of a checkout that was made stands %d times in %s", found, strings.Join(names, ", ")), nil
}
