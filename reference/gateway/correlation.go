package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/reference/client"
)

// The headers that the gateway reads and sets.
const (
	CorrelationHeader = client.CorrelationHeader
	KeyHeader         = client.KeyHeader
	SourceHeader      = "X-Result-Source"
)

// CorrelationID is the default [Seams.CorrelationID]: the caller's id, or a new
// one where there is none that is fit to be logged and passed on everywhere.
func CorrelationID(r *http.Request) string {
	lines := r.Header.Values(CorrelationHeader)
	if len(lines) != 1 { // of two nobody can say which is meant
		return client.Correlate("")
	}
	return client.Correlate(lines[0])
}

// maxKey is the longest key that is passed on.
const maxKey = 128

// ReadKey is the default [Seams.ReadKey]: at most one header line of printable
// ASCII. HTTP takes the spaces around a value away, so one of spaces only is no
// key.
func ReadKey(h http.Header) (string, error) {
	lines := h.Values(KeyHeader)
	switch {
	case len(lines) == 0:
		return "", nil
	case len(lines) > 1:
		return "", errors.New(KeyHeader + " was sent more than once")
	case len(lines[0]) > maxKey:
		return "", fmt.Errorf("%s has more than %d characters", KeyHeader, maxKey)
	}
	for i := range len(lines[0]) {
		if lines[0][i] < 0x20 || lines[0][i] > 0x7e {
			return "", errors.New(KeyHeader + " must be printable ASCII")
		}
	}
	return strings.TrimSpace(lines[0]), nil
}
