package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// readLimit bounds one reading of a record.
const (
	readLimit = 5 * time.Second
	maxRecord = 8 << 20
)

// requestName is the place in a URL, a query or an argument that gets the request
// id.
var requestName = regexp.MustCompile(`\{\{\s*requestId\s*\}\}`)

// Record reads records in one way. It is safe for concurrent use.
type Record struct {
	way  func(ctx context.Context, requestID string) (json.RawMessage, error)
	shut func() error
}

var _ harness.RecordReader = (*Record)(nil)

// Record implements [harness.RecordReader].
func (r *Record) Record(ctx context.Context, requestID string) (harness.StoredRecord, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readLimit, fmt.Errorf("the reading took longer than %v", readLimit))
	defer cancel()
	text, err := r.way(ctx, requestID)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return harness.StoredRecord{}, err
	}
	return decoded(text, requestID)
}

// Close ends what the reader keeps open.
func (r *Record) Close() error {
	if r.shut == nil {
		return nil
	}
	return r.shut()
}

// decoded reads the object that every way brings a record into.
func decoded(text json.RawMessage, requestID string) (harness.StoredRecord, error) {
	var record harness.StoredRecord
	if err := json.Unmarshal(text, &record); err != nil {
		return record, fmt.Errorf("what observe.storage.record gives is no record: %w; numbers have to be numbers, times in RFC 3339, attempts and unique lists", err)
	}
	switch record.RequestID {
	case requestID:
		return record, nil
	case "":
		return record, errors.New("what observe.storage.record gives has no requestId, so nothing shows whose record it is")
	}
	return record, fmt.Errorf("what observe.storage.record gives is the record of another request, %s", record.RequestID)
}
