package checkout

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
)

// KeyHeader carries the client's idempotency key.
const KeyHeader = "Idempotency-Key"

const maxKey = 128

// errNoKey says that no line of the header was there. An empty one is another
// matter: whoever sends it meant to be protected.
var errNoKey = errors.New(KeyHeader + " is required: send a new one for each checkout and the same one for its retries")

// ReadKey is the default [Config.ReadKey]: exactly one header line of 1 to 128
// printable ASCII characters, compared as it is. Spaces around a header value
// belong to HTTP, so a key that is only spaces arrives here as an empty one.
func ReadKey(h http.Header) (string, error) {
	lines := h.Values(KeyHeader)
	switch {
	case len(lines) == 0:
		return "", errNoKey
	case len(lines) > 1:
		return "", errors.New(KeyHeader + " was sent more than once")
	}
	key := lines[0]
	if len(key) < 1 || len(key) > maxKey || key[0] == ' ' || key[len(key)-1] == ' ' {
		return "", fmt.Errorf("%s must have 1 to %d characters and no space around them", KeyHeader, maxKey)
	}
	for i := range len(key) {
		if key[i] < 0x20 || key[i] > 0x7e {
			return "", errors.New(KeyHeader + " must be printable ASCII")
		}
	}
	return key, nil
}

// keyOf returns the key of a request, and counts whether it brought one: before
// keys are required somebody has to see who would be refused. Where none is
// required a request without one gets its own, which nobody can repeat.
func (s *Service) keyOf(h http.Header) (string, error) {
	s.keys.count(len(h.Values(KeyHeader)) > 0)
	key, err := s.ReadKey(h)
	if errors.Is(err, errNoKey) && s.KeyRequired != nil && !s.KeyRequired() {
		return rand.Text(), nil
	}
	return key, err
}
