package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Files searches the files of a store.
type Files struct{ patterns []string }

var _ harness.StorageReader = (*Files)(nil)

// NewFiles returns a reader of all files that match one of the patterns, as
// [filepath.Glob] reads them.
func NewFiles(patterns []string) *Files { return &Files{slices.Clone(patterns)} }

const (
	maxFile  = 4 << 30 // of one file: a larger one is not a store that a test should read
	maxChunk = 1 << 20
)

// Search implements [harness.StorageReader].
func (f *Files) Search(ctx context.Context, texts map[string]string) ([]harness.SearchedFile, error) {
	paths, err := f.paths()
	if err != nil {
		return nil, err
	}
	sought := formsOf(texts)
	var all []harness.SearchedFile
	for _, path := range paths {
		found, err := searched(ctx, path, sought)
		if errors.Is(err, fs.ErrNotExist) { // a journal that the store has just removed
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("search %s: %w", path, err)
		}
		all = append(all, found)
	}
	return all, nil
}

// paths returns the files there are now, each once.
func (f *Files) paths() ([]string, error) {
	var all []string
	for _, pattern := range f.patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("the pattern %s: %w; correct observe.storage.files", pattern, err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no file matches %v; correct observe.storage.files: they have to be on this machine", f.patterns)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// searched reads one file to its end.
func searched(ctx context.Context, path string, sought []form) (harness.SearchedFile, error) {
	result := harness.SearchedFile{Name: filepath.Base(path), Found: map[string]int64{}}
	file, err := os.Open(path)
	if err != nil {
		return result, err
	}
	defer func() { _ = file.Close() }()
	longest := 1
	for _, f := range sought {
		longest = max(longest, len(f.bytes))
	}
	// The end of one chunk goes before the next: what lies across is found, too.
	window, kept := make([]byte, longest+maxChunk), 0
	for ctx.Err() == nil {
		n, err := file.Read(window[kept : kept+maxChunk])
		result.Bytes += int64(n)
		if result.Bytes > maxFile {
			return result, fmt.Errorf("it is larger than %d GiB", maxFile>>30)
		}
		read := window[:kept+n]
		for _, f := range sought {
			result.Found[f.name] += int64(bytes.Count(read[max(0, kept-len(f.bytes)+1):], f.bytes))
		}
		if errors.Is(err, io.EOF) {
			return result, nil
		}
		if err != nil {
			return result, err
		}
		kept = copy(window, read[max(0, len(read)-longest+1):])
	}
	return result, context.Cause(ctx)
}
