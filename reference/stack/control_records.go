package stack

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// recordTimeout bounds one reading of the database.
const recordTimeout = 4 * time.Second

// getRecord reads a record beside the instances, straight from the database that
// they share, and not through the link to it: what is asked is what they keep, not
// what they say.
func (s *supervisor) getRecord(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), recordTimeout)
	defer cancel()
	record, err := s.at.Inspect(ctx, r.PathValue("requestId"))
	switch {
	case errors.Is(err, checkout.ErrUnknown):
		writeError(w, http.StatusNotFound, err)
	case err != nil:
		writeError(w, http.StatusServiceUnavailable, err)
	default:
		writeJSON(w, http.StatusOK, record)
	}
}

// storeFiles is the pattern of the files that make up the store: the database, its
// journal and that one's index. A store that is no file has none.
func (s *supervisor) storeFiles() string {
	if s.at.File == "" {
		return ""
	}
	return escapedPattern(s.at.File) + "*"
}

// escapedPattern returns a pattern that matches the path itself.
func escapedPattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
