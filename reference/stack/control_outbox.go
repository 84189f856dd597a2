package stack

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/oncecheck/oncecheck/reference/store"
)

// outboxState is the body of GET /outbox.
type outboxState struct {
	Entries []store.OutboxEntry `json:"entries"`
}

// getOutbox reads the events beside the instances, as getRecord reads a record.
func (s *supervisor) getOutbox(w http.ResponseWriter, r *http.Request) {
	since := int64(0)
	if text := r.URL.Query().Get("since"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			writeError(w, http.StatusBadRequest, fmt.Errorf("since is %.20q; it has to be the position of an entry, a whole number", text))
			return
		}
		since = n
	}
	ctx, cancel := context.WithTimeout(r.Context(), recordTimeout)
	defer cancel()
	entries, err := s.at.Outbox(ctx, since)
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err)
		return
	}
	writeJSON(w, http.StatusOK, outboxState{entries})
}
