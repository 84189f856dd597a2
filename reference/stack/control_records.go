package stack

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
)

// recordTimeout bounds one reading of the database.
const recordTimeout = 4 * time.Second

// getRecord reads a record beside the instances, straight from the file that they
// share: what is asked is what they keep, not what they say.
func (s *supervisor) getRecord(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), recordTimeout)
	defer cancel()
	path, inFile := strings.CutPrefix(s.store, sqliteStore)
	if !inFile {
		writeError(w, http.StatusNotImplemented, errors.New("records are read from a store in one file; this one is none"))
		return
	}
	record, err := store.Inspect(ctx, path, r.PathValue("requestId"))
	switch {
	case errors.Is(err, checkout.ErrUnknown):
		writeError(w, http.StatusNotFound, err)
	case err != nil:
		writeError(w, http.StatusServiceUnavailable, err)
	default:
		writeJSON(w, http.StatusOK, record)
	}
}

// sqliteStore begins the names of stores in one file.
const sqliteStore = "sqlite:"

// storeFiles is the pattern of the files that make up the store: the database, its
// journal and that one's index. A store that is no file has none.
func (s *supervisor) storeFiles() string {
	path, inFile := strings.CutPrefix(s.store, sqliteStore)
	if !inFile {
		return ""
	}
	return escapedPattern(path) + "*"
}

// escapedPattern returns a pattern that matches the path itself.
func escapedPattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
